/** Sandbox in the formats of Amazon Bedrock: Converse, and InvokeModel, which sends Claude's events in frames. */

import { randomBytes } from 'node:crypto';
import { anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import type { SandboxFraming, WireEvent, WireWriter } from './answer.ts';
import { eventStream } from './event-stream.ts';
import type { JsonSchema } from './example.ts';
import { lastTurns, type SandboxPrompt, type SandboxTurn } from './prompt.ts';
import type { Script } from './script.ts';

interface ConverseBlock {
  text?: string;
  toolUse?: { toolUseId: string; name: string };
  toolResult?: { toolUseId: string; content: ConverseBlock[] };
}

interface ConverseRequest {
  system?: ConverseBlock[];
  messages: { role: string; content: ConverseBlock[] }[];
  inferenceConfig?: { maxTokens?: number; stopSequences?: string[] };
  toolConfig?: {
    tools: { toolSpec?: { name: string; inputSchema: { json: JsonSchema } } }[];
    toolChoice?: { any?: object; tool?: { name: string } };
  };
  /** The schema is JSON as text. */
  outputConfig?: { textFormat: { structure: { jsonSchema: { schema: string } } } };
  additionalModelRequestFields?: { thinking?: { type: string }; reasoningConfig?: { type: string } };
}

export function readConversePrompt(request: ConverseRequest): SandboxPrompt {
  const { tools = [], toolChoice = {} } = request.toolConfig ?? {};
  const specs = tools.flatMap(({ toolSpec }) => (toolSpec ? [toolSpec] : []));
  const chosen = toolChoice.tool?.name;
  const format = request.outputConfig?.textFormat;
  const { thinking, reasoningConfig } = request.additionalModelRequestFields ?? {};
  return {
    ...lastTurns(converseTurns(request)),
    tools: specs
      .filter(({ name }) => chosen === undefined || name === chosen)
      .map(({ name, inputSchema }) => ({ name, schema: inputSchema.json })),
    toolRequired: toolChoice.any !== undefined || chosen !== undefined,
    answerSchema: format && (JSON.parse(format.structure.jsonSchema.schema) as JsonSchema),
    isThinkingRequested: [thinking, reasoningConfig].some(
      (requested) => requested !== undefined && requested.type !== 'disabled',
    ),
    maxTokens: request.inferenceConfig?.maxTokens,
    stopSequences: request.inferenceConfig?.stopSequences ?? [],
    hiddenReasoningTokens: 0,
    characters: countConverseCharacters([
      ...(request.system ?? []),
      ...request.messages.flatMap(({ content }) => content),
    ]),
    images: JSON.stringify(request.messages).split('"image":{"format"').length - 1,
    pdfs: JSON.stringify(request.messages).split('"document":{"format":"pdf"').length - 1,
  };
}

function converseTurns({ messages }: ConverseRequest): SandboxTurn[] {
  const calls = messages.flatMap(({ content }) => content).flatMap(({ toolUse }) => (toolUse ? [toolUse] : []));
  const names = new Map(calls.map(({ toolUseId, name }) => [toolUseId, name]));
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => ({
      text: converseText(content.filter(({ toolResult }) => toolResult === undefined)),
      results: content
        .flatMap(({ toolResult }) => (toolResult ? [toolResult] : []))
        .map((result) => ({ name: names.get(result.toolUseId) ?? '', text: converseText(result.content) })),
    }));
}

function converseText(blocks: ConverseBlock[]): string {
  return blocks.map(({ text }) => text ?? '').join('\n');
}

function countConverseCharacters(blocks: ConverseBlock[]): number {
  return blocks.reduce(
    (sum, { text, toolResult }) => sum + (text?.length ?? 0) + countConverseCharacters(toolResult?.content ?? []),
    0,
  );
}

const CONVERSE_STOP_REASONS = {
  end: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'guardrail_intervened',
  stopped: 'stop_sequence',
} as const;

export function converseWriter(): WireWriter {
  return {
    framing: eventStream,
    opening: () => [{ messageStart: { role: 'assistant' } }],
    block(script, index) {
      const block = script.blocks[index]!;
      const place = { contentBlockIndex: index };
      const delta = (inner: object) => ({ contentBlockDelta: { ...place, delta: inner } });
      const stop = { contentBlockStop: place };
      switch (block.kind) {
        case 'thinking': {
          const signature = delta({ reasoningContent: { signature: `sandbox${randomBytes(24).toString('base64')}` } });
          return {
            start: [],
            pieces: block.pieces.map((text) => [delta({ reasoningContent: { text } })]),
            stop: [signature, stop],
          };
        }
        case 'text':
          return { start: [], pieces: block.pieces.map((text) => [delta({ text })]), stop: [stop] };
        case 'tool': {
          const toolUse = { name: block.name, toolUseId: `tooluse_${randomBytes(12).toString('hex')}` };
          return {
            start: [{ contentBlockStart: { ...place, start: { toolUse } } }, delta({ toolUse: { input: '' } })],
            pieces: block.pieces.map((input) => [delta({ toolUse: { input } })]),
            stop: [stop],
          };
        }
      }
    },
    closing: (script) => [
      { messageStop: { stopReason: CONVERSE_STOP_REASONS[script.end] } },
      { metadata: { metrics: { latencyMs: 1 }, usage: sandboxConverseUsage(script) } },
    ],
    error: overloaded,
  };
}

export function invokeWriter(model: string): WireWriter {
  return { ...anthropicWriter(model), framing: chunks, error: overloaded };
}

/** Framing of InvokeModel: each event is in its own frame; events without `type` are Bedrock exceptions. */
const chunks: SandboxFraming = {
  ...eventStream,
  encode: (event) => eventStream.encode('type' in (event as object) ? { chunk: { bytes: base64Event(event) } } : event),
};

function base64Event(event: WireEvent): string {
  return Buffer.from(JSON.stringify(event)).toString('base64');
}

function overloaded(): WireEvent {
  return { serviceUnavailableException: { message: 'Overloaded' } };
}

/** Reads a body of InvokeModel. It contains the Messages API's `anthropic-beta` header as a field. */
export function readInvokePrompt(request: { anthropic_beta?: string[] }): SandboxPrompt {
  return readAnthropicPrompt(request as never, request.anthropic_beta?.join());
}

/** Returns the body of an error, whose kind is in a header. */
export function bedrockRefusal(_status: number, message: string): object {
  return { message };
}

/** Exception names by HTTP status, from the reference of ConverseStream. */
const exceptions: Record<number, string> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

export function bedrockRefusalHeaders(status: number): Record<string, string> {
  const exception = exceptions[status] ?? 'InternalServerException';
  return { 'x-amzn-errortype': `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
}

function sandboxConverseUsage(script: Script): object {
  const cached = Math.min(script.directives.cachedTokens, script.inputTokens);
  return {
    inputTokens: script.inputTokens - cached,
    outputTokens: script.outputTokens,
    totalTokens: script.inputTokens + script.outputTokens,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}
