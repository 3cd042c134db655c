import { invalidRequest, type GatewayError } from '../../platform/errors.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';

/**
 * Fields that have a counterpart on the wires that are translated, and hints that cannot change an answer: where a prompt may be
 * cached or shortened, who asks, and what the schema limits to the only price there is. docs/wires.md lists them.
 */
const spoken = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
];
const hints = ['cache_control', 'context_management', 'betas', 'diagnostics', 'service_tier', 'speed', 'inference_geo'];
const requestFields = new Set([...spoken, ...hints]);
const outputFields = new Set(['effort', 'format']);
const messageFields = new Set(['role', 'content']);

/** @throws {GatewayError} 400 naming the first field that this wire cannot say. */
export function refuseUnspeakable(request: MessagesRequest): void {
  refuseUnknown(request, requestFields, '');
  refuseUnknown(request.output_config ?? {}, outputFields, 'output_config.');
  for (const [index, message] of request.messages.entries()) {
    refuseUnknown(message, messageFields, `messages.${index}.`);
  }
}

/** @throws {GatewayError} 400 for a field that is not null and not among the known ones. */
export function refuseUnknown(object: object, known: ReadonlySet<string>, path: string): void {
  for (const name in object) {
    const value = (object as Record<string, unknown>)[name];
    if (value === null || value === undefined || known.has(name)) continue;
    throw invalidRequest(`${path}${name.slice(0, 100)}`, 'has no effect on this model; leave it out');
  }
}

/** The refusal of a block that a wire cannot say in its place. */
export function unsupportedBlock({ type }: Block, path: string): GatewayError {
  return invalidRequest(`${path}.type`, `blocks of type "${type}" do not work here on this model`);
}
