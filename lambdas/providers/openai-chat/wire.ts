import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { OpenaiChatQuirks } from '../../catalog/quirk-schemas.ts';
import type { MessagesWire } from '../wire.ts';
import { decodeChatStream, decodeCompletion } from './decode.ts';
import { encodeInDialect } from './dialect.ts';

export const openaiChatWire: MessagesWire<OpenaiChatQuirks> = {
  encode(request, target, { session }) {
    return {
      path: '/chat/completions',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: wellFormedJson(encodeInDialect(request, target, session)),
    };
  },
  encodeCount: () => undefined,
  readCount: () => undefined,
  hiddenReasoning: (_request, { quirks }, maxOutputTokens) => (quirks.hidden_reasoning ? maxOutputTokens : 0),
  decode: decodeChatStream,
  decodeWhole: decodeCompletion,
};
