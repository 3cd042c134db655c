import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import { hiddenReasoning } from '../anthropic/thinking.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeConverse, decodeConverseStream } from './decode.ts';
import { encodeConverseRequest } from './encode.ts';

/** Models of many makers on Amazon Bedrock, with one API. */
export const bedrockConverseWire: MessagesWire<BedrockConverseQuirks> = {
  encode(request, target, client) {
    return {
      path: `/model/${encodeURIComponent(target.upstreamModel)}/converse-stream`,
      headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
      body: wellFormedJson(encodeConverseRequest(request, target, client)),
    };
  },
  encodeCount: () => undefined,
  readCount: () => undefined,
  hiddenReasoning,
  // Converse accepts sampling parameters, regardless of the client's API version.
  decode: decodeConverseStream,
  decodeWhole: decodeConverse,
};
