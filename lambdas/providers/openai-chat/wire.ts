import type { MessagesWire, WireRefusal } from '../wire.ts';
import { decodeChatStream } from './decode.ts';
import { encodeChatRequest } from './encode.ts';

/** Upstreams that speak OpenAI's chat completions. */
export const openaiChatWire: MessagesWire = {
  encode(request, target) {
    return {
      path: '/chat/completions',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(encodeChatRequest(request, target)),
    };
  },
  countsPromptAtStart: false,
  credentialHeaders: (credential) => ({ authorization: `Bearer ${credential}` }),
  decode: decodeChatStream,
  readRefusal,
};

/** Error bodies differ: {"error":{"message"}}, {"error":"text"}, {"message"}, {"detail"}, or an array of one of them. */
function readRefusal(body: string): WireRefusal {
  try {
    const parsed = JSON.parse(body) as unknown;
    const envelope = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null;
    const error = envelope?.['error'] ?? envelope;
    const message =
      typeof error === 'string' ? error : ((error as Record<string, unknown>)['message'] ?? envelope?.['detail']);
    if (typeof message === 'string' && message !== '') return { type: undefined, message };
  } catch {
    // Not JSON: a proxy in front of the provider answered.
  }
  return { type: undefined, message: 'The provider refused the request without saying why' };
}
