import { tagValue, type RequestTags } from '../store/generations/request-tags.ts';

/**
 * Returns the value of a tag in reports: the recorded value of the request, else the current value of its key's tag, so
 * that a tag which a key gets later also applies to earlier requests, else an empty text.
 */
export function valueInReport(name: string, recorded: RequestTags | undefined, ofKey: RequestTags): string {
  return tagValue(recorded, name) ?? tagValue(ofKey, name) ?? '';
}
