/** Refuses features that this endpoint does not support, although the wire can express them. */

import type { Block, MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { refuseUnsupportedChoice } from '../translated/tool-choice.ts';
import { placeBlocks, type Placed } from '../translated/turns.ts';
import type { ChatTarget } from './target.ts';

/**
 * Refuses a request with fields that the endpoint does not support.
 * @throws {GatewayError} 400 naming the first unsupported field
 */
export function refuseBeyond(request: MessagesRequest, target: ChatTarget): void {
  refuseTools(request, target);
  refuseUnsupportedChoice(request, target.quirks.tool_choices);
  refuseStops(request, target);
  refuseManyLogprobs(request, target);
  refuseImages(request, target);
}

function refuseTools({ tools }: MessagesRequest, { quirks, supportedParameters }: ChatTarget): void {
  if (!tools?.length) return;
  if (!supportedParameters.includes('tools'))
    throw invalidRequest('tools', 'this model does not call tools; leave them out');
  const strict = quirks.functions ? tools.findIndex((tool) => tool['strict'] === true) : -1;
  if (strict !== -1) throw invalidRequest(`tools.${strict}.strict`, 'does not work on this model; leave it out');
}

function refuseStops({ stop_sequences: stops }: MessagesRequest, { quirks }: ChatTarget): void {
  const most = quirks.max_stop_sequences;
  if (most === undefined || !stops || stops.length <= most) return;
  throw invalidRequest('stop_sequences', `must have at most ${most} elements on this model; send fewer`);
}

function refuseManyLogprobs({ logprobs, top_logprobs: requested }: MessagesRequest, { quirks }: ChatTarget): void {
  const most = quirks.max_top_logprobs;
  if (logprobs !== true || most === undefined || !requested || requested <= most) return;
  throw invalidRequest('top_logprobs', `must be at most ${most} on this model`);
}

function refuseImages(request: MessagesRequest, { inputModalities, quirks }: ChatTarget): void {
  const takesImages = !inputModalities || inputModalities.includes('image');
  if (takesImages && quirks.image_urls !== false) return;
  for (const [index, { content }] of request.messages.entries()) {
    for (const { block, path } of imagesIn(content, `messages.${index}.content`)) {
      if (!takesImages)
        throw invalidRequest(`${path}.type`, 'this model does not accept images; describe the image as text');
      if ((block['source'] as { type: string }).type === 'url')
        throw invalidRequest(`${path}.source.type`, '"url" does not work on this model; send the image as base64');
    }
  }
}

/** Returns the images in a message, including images in tool results. */
function imagesIn(content: string | Block[], path: string): Placed[] {
  return placeBlocks(content, path).flatMap((placed) => {
    if (placed.block.type === 'image') return [placed];
    const isResult = placed.block.type === 'tool_result';
    return isResult ? imagesIn((placed.block['content'] ?? '') as string | Block[], `${placed.path}.content`) : [];
  });
}
