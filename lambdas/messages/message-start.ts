import type { MessageStart, WireUsage } from './types.ts';

/** Creates the first event of an answer. Its id and model are set later, before the event is sent to the client. */
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
