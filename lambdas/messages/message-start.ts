import type { MessageStart, WireUsage } from './types.ts';

/** The first event of an answer. Its id and its model are set when it is sent to the client. */
export function messageStart(usage: WireUsage): MessageStart {
  return {
    type: 'message_start',
    message: {
      id: '',
      type: 'message',
      role: 'assistant',
      model: '',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  };
}
