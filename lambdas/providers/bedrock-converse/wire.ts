import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import { hiddenReasoning, unsupportedClaudeTunings } from '../anthropic/thinking.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeConverse, decodeConverseStream } from './decode.ts';
import { encodeConverseRequest } from './encode.ts';

/** Codec for Amazon Bedrock's Converse, one API for models of many vendors. */
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
  unsupportedTunings: unsupportedClaudeTunings,
  hiddenReasoning,
  decode: decodeConverseStream,
  decodeWhole: decodeConverse,
};
