import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { OpenaiResponsesQuirks } from '../../catalog/quirk-schemas.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeResponse, decodeResponsesStream } from './decode.ts';
import { encodeResponsesRequest, unsupportedResponsesTunings } from './encode.ts';
import { mayReason } from './reasoning.ts';

export const openaiResponsesWire: MessagesWire<OpenaiResponsesQuirks> = {
  encode(request, target, { session }) {
    return {
      path: '/responses',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: wellFormedJson(encodeResponsesRequest(request, target, session)),
    };
  },
  encodeCount: () => undefined,
  readCount: () => undefined,
  unsupportedTunings: unsupportedResponsesTunings,
  // All reasoning is billed, but the answer may contain only a summary of the reasoning.
  hiddenReasoning: (request, target, maxOutputTokens) => (mayReason(request, target) ? maxOutputTokens : 0),
  decode: decodeResponsesStream,
  decodeWhole: decodeResponse,
};
