import { randomBytes } from 'node:crypto';
import type { WireWriter } from './answer.ts';
import type { JsonSchema } from './example.ts';
import { lastTurns, type SandboxPrompt, type SandboxTurn } from './prompt.ts';
import { sandboxPicture } from './picture.ts';
import { thinkingTokens, type Script } from './script.ts';
import { plainEvents } from './server-sent-events.ts';
import { spokenWord } from './spoken-word.ts';
import { withoutUndefined } from '../../../lambdas/platform/json/records.ts';

const RECORDING_KEPT_SECONDS = 3_600;

type ChatPromptPart = { type: string; text?: string };

interface ChatCompletionRequest {
  model: string;
  messages: {
    role: string;
    content?: string | ChatPromptPart[] | null;
    tool_calls?: { id: string; function: { name: string } }[];
    tool_call_id?: string;
  }[];
  tools?: { function: { name: string; parameters?: JsonSchema } }[];
  response_format?: { json_schema?: { schema?: JsonSchema } };
  tool_choice?: string | { function: { name: string } };
  max_tokens?: number;
  max_completion_tokens?: number;
  stop?: string | string[];
  modalities?: string[];
  image_config?: { aspect_ratio?: string; image_size?: string };
}

export function readChatPrompt(request: ChatCompletionRequest): SandboxPrompt {
  const chosen = typeof request.tool_choice === 'object' ? request.tool_choice.function.name : undefined;
  const offered = request.tool_choice === 'none' ? [] : (request.tools ?? []);
  const tools = offered.filter(({ function: { name } }) => chosen === undefined || name === chosen);
  return {
    ...lastTurns(chatTurns(request)),
    tools: tools.map(({ function: { name, parameters: schema } }) => ({ name, schema })),
    toolRequired: request.tool_choice === 'required' || chosen !== undefined,
    answerSchema: request.response_format?.json_schema?.schema,
    isThinkingRequested: false,
    hiddenReasoningTokens: 0,
    maxTokens: request.max_tokens ?? request.max_completion_tokens,
    stopSequences: [request.stop ?? []].flat(),
    characters: request.messages.reduce((sum, { content }) => sum + chatText(content).length, 0),
    images: JSON.stringify(request.messages).split('"type":"image_url"').length - 1,
    pdfs: JSON.stringify(request.messages).split('"type":"file"').length - 1,
    recordings: JSON.stringify(request.messages).split('"type":"input_audio"').length - 1,
    picture: request.modalities?.includes('image')
      ? withoutUndefined({
          aspectRatio: request.image_config?.aspect_ratio,
          imageSize: request.image_config?.image_size,
        })
      : undefined,
    isSpoken: request.modalities?.includes('audio') === true,
  };
}

function chatTurns({ messages }: ChatCompletionRequest): SandboxTurn[] {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const names = new Map(calls.map((call) => [call.id, call.function.name]));
  return messages
    .filter(({ role }) => role === 'user' || role === 'tool')
    .map(({ role, content, tool_call_id: id = '' }) =>
      role === 'user'
        ? { text: chatText(content), results: [] }
        : { text: '', results: [{ name: names.get(id) ?? '', text: chatText(content) }] },
    );
}

function chatText(content: string | ChatPromptPart[] | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}

const CHAT_FINISH_REASONS = {
  end: 'stop',
  length: 'length',
  tools: 'tool_calls',
  refusal: 'content_filter',
  stopped: 'stop',
} as const;

export function chatWriter(model: string): WireWriter {
  const common = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model,
  };
  const chunk = (delta: object, finish: string | null = null) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return {
    framing: plainEvents(),
    opening: () => [chunk({ role: 'assistant', content: '' })],
    block(script, index) {
      const block = script.blocks[index]!;
      switch (block.kind) {
        case 'thinking':
          return { start: [], pieces: block.pieces.map((piece) => [chunk({ reasoning_content: piece })]), stop: [] };
        case 'text':
          return script.audioTokens ? spoken(block.pieces, chunk) : drawnText(block.pieces, script, chunk);
        case 'tool': {
          const call = script.blocks.slice(0, index).filter(({ kind }) => kind === 'tool').length;
          const piece = (inner: object) => chunk({ tool_calls: [{ index: call, ...inner }] });
          const id = `call_${randomBytes(12).toString('hex')}`;
          return {
            start: [piece({ id, type: 'function', function: { name: block.name, arguments: '' } })],
            pieces: block.pieces.map((json) => [piece({ function: { arguments: json } })]),
            stop: [],
          };
        }
      }
    },
    closing: (script) => [
      chunk({}, CHAT_FINISH_REASONS[script.end]),
      { ...common, choices: [], usage: sandboxChatUsage(script) },
      '[DONE]',
    ],
    error: () => ({ error: { message: 'Overloaded', type: 'overloaded_error', code: 503 } }),
  };
}

type Chunk = (delta: object) => object;

/** A text, then the image in OpenRouter's format, if there is one. */
function drawnText(pieces: string[], { picture }: Script, chunk: Chunk): ReturnType<WireWriter['block']> {
  const url = picture && `data:image/png;base64,${sandboxPicture(picture)}`;
  const image = url === undefined ? [] : [[chunk({ images: [{ type: 'image_url', image_url: { url } }] })]];
  return { start: [], pieces: [...pieces.map((piece) => [chunk({ content: piece })]), ...image], stop: [] };
}

/** Returns a text as speech, word by word. */
function spoken(pieces: string[], chunk: Chunk): ReturnType<WireWriter['block']> {
  return {
    start: [chunk({ audio: { id: `audio_${randomBytes(12).toString('hex')}`, transcript: '' } })],
    pieces: pieces.map((word) => [
      chunk({ audio: { transcript: word } }),
      chunk({ audio: { data: spokenWord(word) } }),
    ]),
    stop: [chunk({ audio: { expires_at: Math.floor(Date.now() / 1000) + RECORDING_KEPT_SECONDS } })],
  };
}

function sandboxChatUsage(script: Script): object {
  return {
    prompt_tokens: script.inputTokens,
    completion_tokens: script.outputTokens,
    total_tokens: script.inputTokens + script.outputTokens,
    prompt_tokens_details: {
      cached_tokens: Math.min(script.directives.cachedTokens, script.inputTokens),
      ...(script.recordingTokens ? { audio_tokens: script.recordingTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: thinkingTokens(script),
      ...(script.imageTokens ? { image_tokens: script.imageTokens } : {}),
      ...(script.audioTokens ? { audio_tokens: script.audioTokens } : {}),
    },
  };
}
