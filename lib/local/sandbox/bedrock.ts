/** The sandbox in the formats of Amazon Bedrock: Converse, and Claude's own events in InvokeModel's frames. */

import { randomBytes } from 'node:crypto';
import { anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import { eventFrame, exceptionFrame } from './event-stream.ts';
import type { JsonSchema } from './example.ts';
import type { WireWriter } from './player.ts';
import type { SandboxPrompt, Script } from './script.ts';

interface Block {
  text?: string;
  toolResult?: { content: Block[] };
}

interface Request {
  system?: Block[];
  messages: { role: string; content: Block[] }[];
  inferenceConfig?: { maxTokens?: number };
  toolConfig?: {
    tools: { toolSpec?: { name: string; inputSchema: { json: JsonSchema } } }[];
    toolChoice?: { any?: object; tool?: { name: string } };
  };
  /** Its schema is JSON as text. */
  outputConfig?: { textFormat: { structure: { jsonSchema: { schema: string } } } };
  additionalModelRequestFields?: { thinking?: { type: string }; reasoningConfig?: { type: string } };
}

const CONTENT_TYPE = 'application/vnd.amazon.eventstream';

export function readConversePrompt(request: Request): SandboxPrompt {
  const blocks = request.messages.at(-1)?.content ?? [];
  const { tools = [], toolChoice = {} } = request.toolConfig ?? {};
  const specs = tools.flatMap(({ toolSpec }) => (toolSpec ? [toolSpec] : []));
  const chosen = toolChoice.tool?.name;
  const format = request.outputConfig?.textFormat;
  const { thinking, reasoningConfig } = request.additionalModelRequestFields ?? {};
  return {
    lastUserText: blocks.map(({ text }) => text ?? '').join('\n'),
    answersTool: blocks.some(({ toolResult }) => toolResult !== undefined),
    tools: specs
      .filter(({ name }) => chosen === undefined || name === chosen)
      .map(({ name, inputSchema }) => ({ name, schema: inputSchema.json })),
    toolRequired: toolChoice.any !== undefined || chosen !== undefined,
    answerSchema: format && (JSON.parse(format.structure.jsonSchema.schema) as JsonSchema),
    thinkingAsked: [thinking, reasoningConfig].some((asked) => asked !== undefined && asked.type !== 'disabled'),
    maxTokens: request.inferenceConfig?.maxTokens,
    hiddenTokens: 0,
    characters: countCharacters([...(request.system ?? []), ...request.messages.flatMap(({ content }) => content)]),
    images: JSON.stringify(request.messages).split('"image":{"format"').length - 1,
    pdfs: JSON.stringify(request.messages).split('"document":{"format":"pdf"').length - 1,
  };
}

function countCharacters(blocks: Block[]): number {
  return blocks.reduce(
    (sum, { text, toolResult }) => sum + (text?.length ?? 0) + countCharacters(toolResult?.content ?? []),
    0,
  );
}

const STOP_REASONS = {
  end: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'guardrail_intervened',
} as const;

export function converseWriter(): WireWriter {
  return {
    contentType: CONTENT_TYPE,
    opening: () => eventFrame('messageStart', { role: 'assistant' }),
    block(script, index) {
      const block = script.blocks[index]!;
      const delta = (inner: object) => eventFrame('contentBlockDelta', { contentBlockIndex: index, delta: inner });
      const stop = eventFrame('contentBlockStop', { contentBlockIndex: index });
      switch (block.kind) {
        case 'thinking': {
          const signature = delta({ reasoningContent: { signature: `sandbox${randomBytes(24).toString('base64')}` } });
          return {
            start: '',
            pieces: block.pieces.map((text) => delta({ reasoningContent: { text } })),
            stop: Buffer.concat([signature, stop]),
          };
        }
        case 'text':
          return { start: '', pieces: block.pieces.map((text) => delta({ text })), stop };
        case 'tool': {
          const toolUse = { name: block.name, toolUseId: `tooluse_${randomBytes(12).toString('hex')}` };
          const start = eventFrame('contentBlockStart', { contentBlockIndex: index, start: { toolUse } });
          return {
            start: Buffer.concat([start, delta({ toolUse: { input: '' } })]),
            pieces: block.pieces.map((input) => delta({ toolUse: { input } })),
            stop,
          };
        }
      }
    },
    closing: (script) =>
      Buffer.concat([
        eventFrame('messageStop', { stopReason: STOP_REASONS[script.end] }),
        eventFrame('metadata', { metrics: { latencyMs: 1 }, usage: usageOf(script) }),
      ]),
    errorFrame,
  };
}

/** Each event of Claude in a frame of its own. */
export function invokeWriter(model: string): WireWriter {
  const inner = anthropicWriter(model);
  return {
    contentType: CONTENT_TYPE,
    opening: (script) => packed(inner.opening(script)),
    block(script, index) {
      const { start, pieces, stop } = inner.block(script, index);
      return { start: packed(start), pieces: pieces.map(packed), stop: packed(stop) };
    },
    closing: (script) => packed(inner.closing(script)),
    errorFrame,
  };
}

/** A header of the Messages API is a field of the body there. */
export function readInvokePrompt(request: { anthropic_beta?: string[] }): SandboxPrompt {
  return readAnthropicPrompt(request as never, request.anthropic_beta?.join());
}

export function bedrockError(
  status: number,
  message = `The sandbox was asked to answer with status ${status}`,
): object {
  return { message };
}

function errorFrame(): Buffer {
  return exceptionFrame('serviceUnavailableException', { message: 'Overloaded' });
}

/** Server-sent events as frames. */
function packed(events: string | Buffer): Buffer {
  return Buffer.concat(eventsIn(String(events)).map(chunkFrame));
}

function eventsIn(stream: string): string[] {
  return stream.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
}

function chunkFrame(json: string): Buffer {
  return eventFrame('chunk', { bytes: Buffer.from(json).toString('base64') });
}

function usageOf(script: Script): object {
  const cached = Math.min(script.directives.cachedTokens, script.inputTokens);
  return {
    inputTokens: script.inputTokens - cached,
    outputTokens: script.outputTokens,
    totalTokens: script.inputTokens + script.outputTokens,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}
