import type { ExactNumber } from './exact-numbers.ts';

export interface AnswerBlock {
  kind: 'text' | 'thinking' | 'call' | 'results' | 'other';
  /** Name of the called tool, or type of an unsupported block. */
  name: string;
  text: string;
}

export interface AnswerState {
  id: string | undefined;
  model: string | undefined;
  blocks: AnswerBlock[];
  stopReason: string | undefined;
  usage: Record<string, unknown>;
  cost: ExactNumber | undefined;
  failure: string | undefined;
  isDone: boolean;
}

export const emptyAnswer: AnswerState = {
  id: undefined,
  model: undefined,
  blocks: [],
  stopReason: undefined,
  usage: {},
  cost: undefined,
  failure: undefined,
  isDone: false,
};

interface StreamEvent {
  type: string;
  index?: number;
  message?: { id: string; model: string; usage?: Record<string, unknown> };
  content_block?: RawBlock;
  delta?: { text?: string; thinking?: string; partial_json?: string; stop_reason?: string };
  usage?: Record<string, unknown>;
  error?: { message?: string };
}

interface RawBlock {
  type: string;
  name?: string;
  text?: string;
  thinking?: string;
  input?: unknown;
  content?: unknown;
}

/** Returns the state after an event; unknown events change nothing. */
export function withEvent(state: AnswerState, event: StreamEvent): AnswerState {
  switch (event.type) {
    case 'message_start':
      return withUsage({ ...state, id: event.message?.id, model: event.message?.model }, event.message?.usage);
    case 'content_block_start':
      return { ...state, blocks: withBlockAt(state.blocks, event.index ?? 0, blockOf(event.content_block!)) };
    case 'content_block_delta': {
      const index = event.index ?? 0;
      const block = state.blocks[index];
      const more = event.delta?.text ?? event.delta?.thinking ?? event.delta?.partial_json ?? '';
      return block
        ? { ...state, blocks: withBlockAt(state.blocks, index, { ...block, text: block.text + more }) }
        : state;
    }
    case 'message_delta':
      return withUsage({ ...state, stopReason: event.delta?.stop_reason ?? state.stopReason }, event.usage);
    case 'message_stop':
      return { ...state, isDone: true };
    case 'error':
      return { ...state, isDone: true, failure: event.error?.message ?? 'error' };
    default:
      return state;
  }
}

function withBlockAt(blocks: AnswerBlock[], index: number, block: AnswerBlock): AnswerBlock[] {
  const next = [...blocks];
  next[index] = block;
  return next;
}

function withUsage(state: AnswerState, usage: Record<string, unknown> = {}): AnswerState {
  const all = { ...state.usage, ...usage };
  return { ...state, usage: all, cost: (all['cost'] as ExactNumber | undefined) ?? state.cost };
}

function blockOf(raw: RawBlock): AnswerBlock {
  switch (raw.type) {
    case 'text':
      return { kind: 'text', name: '', text: raw.text ?? '' };
    case 'thinking':
      return { kind: 'thinking', name: '', text: raw.thinking ?? '' };
    case 'tool_use':
    case 'server_tool_use':
      return { kind: 'call', name: raw.name ?? '', text: isEmptyInput(raw.input) ? '' : JSON.stringify(raw.input) };
    case 'web_search_tool_result':
      return { kind: 'results', name: raw.type, text: titlesIn(raw.content) };
    default:
      return { kind: 'other', name: raw.type, text: '' };
  }
}

/** Returns whether arguments are empty. A tool call starts with empty arguments, and their pieces follow. */
function isEmptyInput(input: unknown): boolean {
  return input === undefined || input === null || Object.keys(input).length === 0;
}

function titlesIn(content: unknown): string {
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map(({ title, url }: { title?: string; url?: string }) => `${title ?? ''} ${url ?? ''}`).join('\n');
}
