import type { MessageStart, WireUsage } from './types.ts';

/** The beginning of an answer that nothing has been said of yet; its id and its model are named where it goes out. */
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
