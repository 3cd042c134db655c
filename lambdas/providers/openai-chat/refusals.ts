/**
 * Refuses features that the wire can express but this endpoint does not support. Another endpoint of the model may
 * support them.
 */

import type { Block, MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { refuseUnsupportedChoice } from '../translated/tool-choice.ts';
import { placeBlocks } from '../translated/turns.ts';
import type { ChatTarget } from './target.ts';

/** @throws {GatewayError} 400 naming the first field that the endpoint does not support */
export function refuseBeyond(request: MessagesRequest, target: ChatTarget): void {
  refuseTools(request, target);
  refuseUnsupportedChoice(request, target.quirks.tool_choices);
  refuseStops(request, target);
  refuseManyLogprobs(request, target);
  if (target.inputModalities && !target.inputModalities.includes('image')) refuseImages(request);
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

function refuseImages({ messages }: MessagesRequest): void {
  for (const [index, { content }] of messages.entries()) refuseImagesIn(content, `messages.${index}.content`);
}

function refuseImagesIn(content: string | Block[], path: string): void {
  for (const { block, path: at } of placeBlocks(content, path)) {
    if (block.type === 'image')
      throw invalidRequest(`${at}.type`, 'this model does not accept images; describe the image as text');
    if (block.type === 'tool_result') refuseImagesIn((block['content'] ?? '') as string | Block[], `${at}.content`);
  }
}
