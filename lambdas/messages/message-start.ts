import type { MessageStart, WireUsage } from './types.ts';

/** Returns the first event of an answer. The gateway sets its id and its model before the client gets it. */
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
