import type { Endpoint } from '../catalog/catalog.ts';
import type { MediaModality } from '../catalog/quirk-values.ts';
import type { MessagesRequest } from '../messages/types.ts';
import { invalidRequest } from '../platform/errors.ts';

/** Returns the requested kinds of output other than text (`modalities`). */
export function requestedMedia({ modalities = [] }: MessagesRequest): MediaModality[] {
  return modalities.filter((modality) => modality !== 'text');
}

/**
 * Refuses requested output that the endpoint does not produce. Also refuses a request for text alone if the endpoint
 * may answer with images or speech: the client would pay for output that it could not read.
 * @throws {GatewayError} 400
 */
export function refuseUnmadeMedia(request: MessagesRequest, { quirks }: Pick<Endpoint, 'quirks'>): void {
  const requested = requestedMedia(request);
  const { modalities: made = [] } = quirks;
  const unmade = requested.find((modality) => !made.includes(modality));
  if (unmade) throw invalidRequest('modalities', `must not include "${unmade}", which this endpoint does not make`);
  const isFree = made.length === 0 || requested.length > 0 || (made.includes('audio') && hasRecording(request));
  if (isFree) return;
  const needed = JSON.stringify(made.includes('image') ? ['image', 'text'] : ['text', 'audio']);
  throw invalidRequest('modalities', `must be ${needed} for this model; only POST /chat/completions has this field`);
}

function hasRecording({ messages }: MessagesRequest): boolean {
  return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'audio'));
}
