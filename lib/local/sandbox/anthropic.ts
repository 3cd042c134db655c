import { randomBytes } from 'node:crypto';
import { errorKinds, kindOfStatus } from '../../../lambdas/platform/errors.ts';
import type { WireWriter } from './answer.ts';
import type { JsonSchema } from './example.ts';
import { lastTurns, type SandboxPrompt, type SandboxTurn } from './prompt.ts';
import { thinkingTokens, type Script } from './script.ts';
import { namedEvents } from './server-sent-events.ts';

type AnthropicBlock = {
  type: string;
  text?: string;
  content?: string | AnthropicBlock[] | null;
  [field: string]: unknown;
};

interface AnthropicTool {
  name: string;
  input_schema?: JsonSchema;
  defer_loading?: boolean;
}

interface AnthropicRequest {
  model: string;
  system?: string | AnthropicBlock[];
  messages: { role: string; content: string | AnthropicBlock[] }[];
  tools?: AnthropicTool[];
  output_config?: { format?: { schema?: JsonSchema } | null };
  output_format?: { schema?: JsonSchema };
  tool_choice?: { type: string; name?: string };
  thinking?: { type: string; budget_tokens?: number };
  max_tokens?: number;
  stop_sequences?: string[];
}

/** Name of the sandbox model that reasons even if reasoning is not requested, and hides its reasoning. */
const THINKER = 'thinker';
const THINKERS_TOKENS = 300;

export function readAnthropicPrompt(request: AnthropicRequest, betas = ''): SandboxPrompt {
  const chosen = request.tool_choice?.type === 'tool' ? request.tool_choice.name : undefined;
  const offered = request.tool_choice?.type === 'none' ? [] : loadedTools(request);
  const tools = offered.filter(({ name }) => chosen === undefined || name === chosen);
  return {
    ...lastTurns(anthropicTurns(request)),
    tools: tools.map(({ name, input_schema: schema }) => ({ name, schema })),
    toolRequired: request.tool_choice?.type === 'any' || chosen !== undefined,
    answerSchema: (request.output_config?.format ?? request.output_format)?.schema,
    isThinkingRequested: request.thinking !== undefined && request.thinking.type !== 'disabled',
    maxTokens: request.max_tokens,
    stopSequences: request.stop_sequences ?? [],
    hiddenReasoningTokens: request.model === THINKER && request.thinking?.type !== 'disabled' ? THINKERS_TOKENS : 0,
    refusal: betas.includes('interleaved-thinking-') ? undefined : anthropicObjection(request),
    characters: countAnthropicCharacters([request.system ?? '', ...request.messages.map(({ content }) => content)]),
    images: JSON.stringify(request.messages).split('"type":"image"').length - 1,
    pdfs: JSON.stringify(request.messages).split('"media_type":"application/pdf"').length - 1,
  };
}

/** Returns the visible tools. A tool with deferred loading is visible only after a tool result has referenced it. */
function loadedTools({ tools = [], messages }: AnthropicRequest): AnthropicTool[] {
  const results = messages.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type === 'tool_result');
  const references = results.flatMap(({ content }) => blocksOf(content ?? ''));
  const referred = new Set(references.map(({ tool_name: name }) => name));
  return tools.filter(({ name, defer_loading: isDeferred }) => isDeferred !== true || referred.has(name));
}

function anthropicTurns({ messages }: AnthropicRequest): SandboxTurn[] {
  const calls = messages.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type === 'tool_use');
  const names = new Map(calls.map(({ id, name }) => [id, String(name)]));
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => ({
      text: anthropicText(blocksOf(content).filter(({ type }) => type !== 'tool_result')),
      results: blocksOf(content)
        .filter(({ type }) => type === 'tool_result')
        .map((block) => ({
          name: names.get(block['tool_use_id']) ?? '',
          text: anthropicText(blocksOf(block.content ?? '')),
        })),
    }));
}

function blocksOf(content: string | AnthropicBlock[]): AnthropicBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function anthropicText(blocks: AnthropicBlock[]): string {
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** Returns the error message of the Messages API if the thinking budget is not below `max_tokens`. */
function anthropicObjection({ thinking, max_tokens: maxTokens }: AnthropicRequest): string | undefined {
  const isTooMuch = thinking?.budget_tokens !== undefined && thinking.budget_tokens >= (maxTokens ?? Infinity);
  return isTooMuch ? '`max_tokens` must be greater than `thinking.budget_tokens`' : undefined;
}

/**
 * Counts the characters in the fields `text` and `content`, at any depth. Other fields are ignored, because a block
 * type may be newer than the sandbox.
 */
function countAnthropicCharacters(contents: unknown[]): number {
  return contents.reduce<number>((sum, content) => {
    if (typeof content === 'string') return sum + content.length;
    if (Array.isArray(content)) return sum + countAnthropicCharacters(content);
    const { text, content: inner } = (content ?? {}) as { text?: unknown; content?: unknown };
    return (
      sum + (typeof text === 'string' ? text.length : 0) + (inner === undefined ? 0 : countAnthropicCharacters([inner]))
    );
  }, 0);
}

const ANTHROPIC_STOP_REASONS = {
  end: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'refusal',
  stopped: 'stop_sequence',
} as const;

export function anthropicWriter(model: string): WireWriter {
  return {
    framing: namedEvents(),
    opening: (script) => [
      {
        type: 'message_start',
        message: {
          id: `msg_${randomBytes(12).toString('hex')}`,
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(script), output_tokens: 1 },
        },
      },
    ],
    block(script, index) {
      const block = script.blocks[index]!;
      const delta = (inner: object) => ({ type: 'content_block_delta', index, delta: inner });
      const start = (content_block: object) => [
        { type: 'content_block_start', index, content_block },
        ...(index === 0 ? [{ type: 'ping' }] : []),
      ];
      const stop = { type: 'content_block_stop', index };
      switch (block.kind) {
        case 'thinking':
          return {
            start: start({ type: 'thinking', thinking: '', signature: '' }),
            pieces: block.pieces.map((thinking) => [delta({ type: 'thinking_delta', thinking })]),
            stop: [delta({ type: 'signature_delta', signature: `sandbox${randomBytes(24).toString('base64')}` }), stop],
          };
        case 'tool': {
          const call = {
            type: 'tool_use',
            id: `toolu_${randomBytes(12).toString('hex')}`,
            name: block.name,
            input: {},
          };
          return {
            start: [...start(call), delta({ type: 'input_json_delta', partial_json: '' })],
            pieces: block.pieces.map((partial_json) => [delta({ type: 'input_json_delta', partial_json })]),
            stop: [stop],
          };
        }
        case 'text':
          return {
            start: start({ type: 'text', text: '' }),
            pieces: block.pieces.map((text) => [delta({ type: 'text_delta', text })]),
            stop: [stop],
          };
      }
    },
    closing: (script) => [
      {
        type: 'message_delta',
        delta: { stop_reason: ANTHROPIC_STOP_REASONS[script.end], stop_sequence: script.stopSequence ?? null },
        usage: {
          ...inputUsage(script),
          output_tokens: script.outputTokens,
          output_tokens_details: { thinking_tokens: thinkingTokens(script) },
        },
      },
      { type: 'message_stop' },
    ],
    error: () => ({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  };
}

export function anthropicRefusal(status: number, message: string): object {
  const type = errorKinds[kindOfStatus(status) ?? 'server'].messagesType;
  return { type: 'error', error: { type, message } };
}

function inputUsage(script: Script): object {
  const cached = Math.min(script.directives.cachedTokens, script.inputTokens);
  return {
    input_tokens: script.inputTokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    service_tier: 'standard',
  };
}
