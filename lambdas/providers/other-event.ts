import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import { statesError } from './faults/error-detection.ts';

/**
 * Returns whether an event has a type, but no error, so that a reader who does not know its type can ignore it. Servers
 * with OpenAI's API also send the progress of a job, such as `image_generation.in_progress`.
 */
export function isOtherEvent(event: unknown): boolean {
  return typeof recordOrEmpty(event)['type'] === 'string' && !statesError(event);
}
