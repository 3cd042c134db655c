import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import { hiddenReasoning, unsupportedClaudeTunings } from '../anthropic/thinking.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeConverse, decodeConverseStream } from './decode.ts';
import { encodeConverseRequest } from './encode.ts';
import type { ConverseTarget } from './families.ts';

export const bedrockConverseWire: MessagesWire<BedrockConverseQuirks> = {
  encode(request, target) {
    const isWhole = arrivesWhole(request, target);
    return {
      path: `/model/${encodeURIComponent(target.upstreamModel)}/${isWhole ? 'converse' : 'converse-stream'}`,
      headers: {
        'content-type': 'application/json',
        accept: isWhole ? 'application/json' : 'application/vnd.amazon.eventstream',
      },
      body: wellFormedJson(encodeConverseRequest(request, target)),
    };
  },
  encodeCount: () => undefined,
  readCount: () => undefined,
  unsupportedTunings: unsupportedClaudeTunings,
  hiddenReasoning: (request, target, maxOutputTokens) =>
    arrivesWhole(request, target) ? maxOutputTokens : hiddenReasoning(request, target, maxOutputTokens),
  decode: decodeConverseStream,
  decodeWhole: decodeConverse,
};

/** Returns whether the answer arrives as one document, because the model cannot stream an answer to this request. */
function arrivesWhole({ tools, tool_choice: choice }: MessagesRequest, { quirks }: ConverseTarget): boolean {
  return quirks.streams_tools === false && Boolean(tools?.length) && choice?.type !== 'none';
}
