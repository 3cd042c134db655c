import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { OpenaiResponsesQuirks } from '../../catalog/quirk-schemas.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeResponse, decodeResponsesStream } from './decode.ts';
import { encodeResponsesRequest } from './encode.ts';
import { mayReason } from './reasoning.ts';

/** Upstreams that speak OpenAI's Responses API. */
export const openaiResponsesWire: MessagesWire<OpenaiResponsesQuirks> = {
  encode(request, target) {
    return {
      path: '/responses',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: wellFormedJson(encodeResponsesRequest(request, target)),
    };
  },
  encodeCount: () => undefined,
  readCount: () => undefined,
  // All reasoning is billed, and shown as a summary or not at all.
  hiddenReasoning: (request, target, maxOutputTokens) => (mayReason(request, target) ? maxOutputTokens : 0),
  decode: decodeResponsesStream,
  decodeWhole: decodeResponse,
};
