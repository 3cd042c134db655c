/** Fields that fault injection changes, for each wire (API format). */

import type { WireEvent } from './answer.ts';

export interface WireFields {
  /** Index of a block, call or item; undefined if the wire has none. */
  index: string | undefined;
  /** Fields with the arguments of a tool call, or with a piece of them. */
  arguments: string[];
  /** Fields with pieces of the model's output. */
  words: string[];
  usage: string;
  /** Returns an event that only contains usage. */
  usageEvent: (usage: unknown) => WireEvent;
  /** Number of events that follow late usage and end the answer; undefined if usage is always in the last event. */
  afterLateUsage: number | undefined;
}

/** Field names of the Messages API. They are the same in the event frames of Bedrock's InvokeModel. */
export const messagesFields: WireFields = {
  index: 'index',
  arguments: ['partial_json'],
  words: ['text', 'thinking', 'partial_json'],
  usage: 'usage',
  usageEvent: (usage) => ({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage }),
  // Only the event `message_stop` follows late usage.
  afterLateUsage: 1,
};

/** Usage is normally between the finish reason and the end marker; late usage follows both. */
export const chatFields: WireFields = {
  index: 'index',
  arguments: ['arguments'],
  words: ['content', 'reasoning_content', 'arguments'],
  usage: 'usage',
  usageEvent: (usage) => ({ object: 'chat.completion.chunk', choices: [], usage }),
  afterLateUsage: 0,
};

export const responsesFields: WireFields = {
  index: 'output_index',
  arguments: ['arguments', 'delta'],
  words: ['delta'],
  usage: 'usage',
  usageEvent: (usage) => ({ type: 'response.in_progress', response: { object: 'response', usage } }),
  afterLateUsage: undefined,
};

/** Parts have no index, and a tool call is sent as a whole. */
export const geminiFields: WireFields = {
  index: undefined,
  arguments: ['args'],
  words: ['text', 'args'],
  usage: 'usageMetadata',
  usageEvent: (usageMetadata) => ({ usageMetadata }),
  afterLateUsage: 0,
};

export const converseFields: WireFields = {
  index: 'contentBlockIndex',
  arguments: ['input'],
  words: ['text', 'input'],
  usage: 'usage',
  usageEvent: (usage) => ({ metadata: { usage } }),
  afterLateUsage: undefined,
};
