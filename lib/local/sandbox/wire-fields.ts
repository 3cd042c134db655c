/** Where each wire has what mischief is done to. */

import type { WireEvent } from './answer.ts';

export interface WireFields {
  /** Has the position of a block, of a call, or of an item; undefined: they have none. */
  index: string | undefined;
  /** Have the arguments of a call, or a piece of them. */
  arguments: string[];
  /** Have what the model says, piece by piece. */
  words: string[];
  usage: string;
  /** An event that tells usage and nothing else. */
  usageEvent: (usage: unknown) => WireEvent;
  /** How many events come after usage that is late; undefined: nothing may follow the event that has it. */
  afterLateUsage: number | undefined;
}

/** Of the Messages API, in whatever envelope. */
export const messagesFields: WireFields = {
  index: 'index',
  arguments: ['partial_json'],
  words: ['text', 'thinking', 'partial_json'],
  usage: 'usage',
  usageEvent: (usage) => ({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage }),
  // The end itself.
  afterLateUsage: 1,
};

/** Usage has its place between the reason and the end: what is late comes after both. */
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

/** Parts have no position, and a call comes whole. */
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
