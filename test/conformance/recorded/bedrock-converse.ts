import { packFrame } from '../../support/event-stream.ts';
import { readConverseRequest } from './bedrock-converse-requests.ts';
import type { Interaction } from './interactions.ts';
import { callInput, type Said } from './said.ts';
import type { AnyWireRow } from './wire-row.ts';

interface ContentBlock {
  text?: string;
  citationsContent?: { content?: { text: string }[] };
  toolUse?: { name: string; input: unknown; type?: string };
  reasoningContent?: { reasoningText?: { text: string }; text?: string };
}

interface Document {
  output?: { message?: { content: ContentBlock[] } };
  stopReason?: string;
  usage?: Record<string, number>;
}

/** Event, as an object with one field, which has the event's name. */
type Event = Record<string, Record<string, unknown>>;

const eventNames = ['messageStart', 'contentBlockStart', 'contentBlockDelta'];

export const bedrockConverseRow: AnyWireRow = {
  wire: 'bedrock-converse',
  address: /\/converse(-stream)?$/,
  isEvent: (event) => eventNames.some((name) => name in event),
  isDocument: ({ output, stopReason }) => stopReason !== undefined && typeof output === 'object' && output !== null,
  streamType: 'application/vnd.amazon.eventstream',
  frame: (lines) => Buffer.concat(lines.flatMap((line) => framesOf(JSON.parse(line) as Event))),
  read: readAnswer,
  readRequest: readConverseRequest,
  endpoint: (_provider, model) => ({
    catalogId: 'bedrock',
    quirks: { family: model.includes('anthropic') ? 'claude' : 'nova', pdf_files: true },
  }),
  documented: [
    {
      complaint: 'inferenceConfig.maxTokens is new',
      reason: 'AWS’ reference of InferenceConfiguration',
    },
    {
      complaint: 'messages[](user).content[].toolResult.status is new',
      reason: 'AWS’ reference of ToolResultBlock',
    },
  ],
};

function framesOf(event: Event): Buffer[] {
  return Object.entries(event).map(([name, payload]) => packFrame(name, JSON.stringify(payload)));
}

function readAnswer({ answer }: Interaction): Said {
  return answer.kind === 'stream'
    ? readStream(answer.bytes)
    : readDocument(JSON.parse(answer.bytes.toString()) as Document);
}

function readDocument({ output, stopReason, usage }: Document): Said {
  const said: Said = {
    text: '',
    thinking: '',
    tools: [],
    stop: stopReason && stopOf(stopReason),
    usage: usage && usageOf(usage),
  };
  for (const { text, citationsContent: cited, toolUse, reasoningContent: thought } of output?.message?.content ?? []) {
    said.text += text ?? cited?.content?.map((piece) => piece.text).join('') ?? '';
    said.thinking += thought?.reasoningText?.text ?? '';
    if (toolUse && toolUse.type !== 'server_tool_use') said.tools.push({ name: toolUse.name, input: toolUse.input });
  }
  return said;
}

function readStream(bytes: Buffer): Said {
  const said: Said = { text: '', thinking: '', tools: [], stop: undefined, usage: undefined };
  const calls: { index: unknown; name: string; json: string }[] = [];
  for (const [name, payload] of eventsIn(bytes)) {
    const { contentBlockIndex: index, stopReason, usage } = payload;
    const start = (payload['start'] as { toolUse?: { name: string; type?: string } } | undefined)?.toolUse;
    const delta = (payload['delta'] ?? {}) as {
      text?: string;
      toolUse?: { input: string };
      reasoningContent?: { text?: string };
    };
    if (start && start.type !== 'server_tool_use') calls.push({ index, name: start.name, json: '' });
    said.text += delta.text ?? '';
    said.thinking += delta.reasoningContent?.text ?? '';
    const call = calls.findLast((open) => open.index === index);
    if (delta.toolUse && call) call.json += delta.toolUse.input;
    if (name === 'messageStop') said.stop = stopOf(stopReason as string);
    if (usage) said.usage = usageOf(usage as Record<string, number>);
  }
  said.tools = calls.map(({ name, json }) => ({ name, input: callInput(json) }));
  return said;
}

/**
 * Yields the name and the payload of each event. A frame consists of its length, the length of its headers, a checksum,
 * the headers, the payload, and a checksum.
 */
function* eventsIn(bytes: Buffer): Generator<[string, Record<string, unknown>]> {
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const payloadAt = at + 12 + bytes.readUInt32BE(at + 4);
    const headers = bytes.toString('latin1', at + 12, payloadAt);
    const payload = bytes.toString('utf8', payloadAt, at + bytes.readUInt32BE(at) - 4);
    const name = /:event-type.{3}(\w+)/s.exec(headers)?.[1] ?? '';
    yield [name, JSON.parse(payload) as Record<string, unknown>];
  }
}

function stopOf(reason: string): string {
  if (reason === 'guardrail_intervened' || reason === 'content_filtered') return 'refusal';
  return reason;
}

/** Converts a usage. In Converse, cached tokens are not part of the input. */
function usageOf(usage: Record<string, number>) {
  return {
    input: usage['inputTokens']!,
    cacheRead: usage['cacheReadInputTokens'] ?? 0,
    cacheWrite: usage['cacheWriteInputTokens'] ?? 0,
    output: usage['outputTokens']!,
  };
}
