import { tuningParameters } from '../../catalog/sampling-parameters.ts';
import { withoutBillingLine } from '../../messages/billing-line.ts';
import { withoutDeferral } from '../../messages/deferred-tools.ts';
import { withTrueImageTypes } from '../../messages/image-types.ts';
import { outputFormat } from '../../messages/output-format.ts';
import { withoutExpired } from '../../messages/system-messages.ts';
import { withTurnEffort } from '../../messages/turn-effort.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { withTextualSearchResults } from './search-results.ts';
import { withTextualServerTools } from './server-tools.ts';
import { withSoundCalls } from './sound-calls.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';

/**
 * Fields that are allowed in requests to APIs other than the Messages API. The fields in `hints` are silently dropped
 * (docs/wires/README.md).
 */
const expressible = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'stop_sequences',
  'stream',
  ...tuningParameters,
  'logprobs',
  'top_logprobs',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  // A request with these fields reaches only endpoints with the quirk `modalities` (routing/requested-media.ts).
  'modalities',
  'image_config',
  'audio',
];
const hints = ['cache_control', 'context_management', 'betas', 'diagnostics', 'service_tier', 'speed', 'inference_geo'];
const requestFields = new Set([...expressible, ...hints]);
const outputFields = new Set(['effort', 'format']);
const messageFields = new Set(['role', 'content']);
const choiceFields = new Set(['type', 'name', 'disable_parallel_tool_use']);
// Claude's `block_binding` is left out, because other models do not read Claude's thinking, and Converse has no betas.
const thinkingFieldNames = new Set(['type', 'budget_tokens', 'display', 'block_binding']);
const formatFieldNames = new Set(['type', 'schema', 'name', 'description']);

/**
 * Returns the request in a form for all APIs other than the Messages API (docs/wires/README.md).
 * @param hasSearchResults whether the endpoint has a block for search results; if not, they become texts
 * @throws {GatewayError} 400 for an unsupported field, search results with citations, or misplaced tool results
 */
export function withSupportedFields(requested: MessagesRequest, hasSearchResults = false): MessagesRequest {
  const applied = withTurnEffort(withoutDeferral(withoutBillingLine(requested)));
  const request = withTextualServerTools({ ...applied, messages: withoutExpired(applied.messages) });
  refuseUnknownFields(request);
  const readable = hasSearchResults ? request : withTextualSearchResults(request);
  return withSoundCalls(withTrueImageTypes(readable));
}

function refuseUnknownFields(request: MessagesRequest): void {
  refuseUnknown(request, requestFields, '');
  refuseUnknown(request.output_config ?? {}, outputFields, 'output_config.');
  refuseUnknown(outputFormat(request) ?? {}, formatFieldNames, 'output_config.format.');
  refuseUnknown(request.tool_choice ?? {}, choiceFields, 'tool_choice.');
  refuseUnknown(request.thinking ?? {}, thinkingFieldNames, 'thinking.');
  for (const [index, message] of request.messages.entries()) {
    refuseUnknown(message, messageFields, `messages.${index}.`);
  }
}

/**
 * Refuses unknown fields.
 * @throws {GatewayError} 400 for the first field with a value whose name is not in `known`
 */
export function refuseUnknown(object: object, known: ReadonlySet<string>, path: string): void {
  for (const name in object) {
    const value = (object as Record<string, unknown>)[name];
    if (value === null || value === undefined || known.has(name)) continue;
    throw invalidRequest(`${path}${name.slice(0, 100)}`, 'has no effect on this model; leave it out');
  }
}

/** Returns the error for a content block of a type that the provider does not support at this place. */
export function unsupportedBlock(block: Block, path: string): Error {
  return invalidRequest(
    `${path}.type`,
    `blocks of type "${block.type}" do not work at this place on this model; leave the block out`,
  );
}
