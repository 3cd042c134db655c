import type { Interaction } from './interactions.ts';
import { readResponsesRequest } from './openai-responses-requests.ts';
import { callInput, eventData, type Said } from './said.ts';
import type { AnyWireRow } from './wire-row.ts';

interface Item {
  type: string;
  name?: string;
  arguments?: string;
  content?: { type: string; text?: string; refusal?: string }[] | null;
  summary?: { text: string }[] | null;
}

interface Response {
  output: Item[];
  status: string;
  incomplete_details?: { reason?: string } | null;
  usage?: Counted | null;
}

interface Counted {
  input_tokens: number;
  output_tokens: number;
  input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
}

export const openaiResponsesRow: AnyWireRow = {
  wire: 'openai-responses',
  address: /\/responses$/,
  isEvent: ({ type }) => type === 'response.created',
  isDocument: ({ object }) => object === 'response',
  streamType: 'text/event-stream',
  frame: (lines) => Buffer.from(lines.map((line) => `event: ${typeOf(line)}\ndata: ${line}\n\n`).join('')),
  read: readAnswer,
  readRequest: readResponsesRequest,
  endpoint: (provider) => ({ catalogId: provider, quirks: { pdf_files: true } }),
  documented: [
    {
      complaint: 'max_output_tokens is new',
      reason: 'each provider’s reference lists it',
    },
    {
      complaint: 'service_tier is new',
      reason: 'OpenAI’s reference: the standard tier',
    },
    { complaint: 'truncation is new', reason: 'the default of OpenAI and xAI' },
    {
      complaint: 'input[](user).type is new',
      reason: 'OpenAI’s reference: the default type',
    },
    { complaint: 'input[](assistant).type is new', reason: 'OpenAI’s reference: the default type' },
    {
      complaint: 'input[](user).content is array',
      reason: 'the reference has lists of parts',
    },
    { complaint: 'input[](user).content[](input_text) is new', reason: 'the reference has lists of parts' },
    {
      complaint: 'include is new',
      reason: 'OpenAI’s reference: requests encrypted reasoning',
    },
    {
      complaint: 'reasoning.summary is new',
      reason: 'OpenAI’s reference: requests the summary',
    },
    {
      complaint: 'tool_choice is "auto"',
      reason: 'OpenAI’s reference: the default',
    },
    {
      complaint: 'input[](user).content[](input_image).detail is new',
      reason: 'OpenAI’s reference: `auto` is the default',
    },
    {
      complaint: 'input[](assistant).phase is new',
      reason: 'OpenAI’s reference: whether a message was the answer',
    },
  ],
};

function typeOf(line: string): string {
  return /"type":"([\w.]+)"/.exec(line)?.[1] ?? 'message';
}

/**
 * Reads the content of the first answer: some recordings contain several answers, of which only the first belongs to
 * this request. The items are complete in their `done` events.
 */
function readAnswer({ answer }: Interaction): Said {
  const text = answer.bytes.toString();
  if (answer.kind !== 'stream') return saidBy(JSON.parse(text) as Response);
  const events = eventData(text) as { type: string; item?: Item; response?: Response }[];
  const end = events.findIndex(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type));
  const last = events[end]?.response;
  const output = events
    .slice(0, end)
    .flatMap(({ type, item }) => (type === 'response.output_item.done' && item ? [item] : []));
  if (!last) return { ...saidBy({ output, status: 'completed' }), stop: undefined };
  return saidBy({ ...last, output: output.length > 0 ? output : last.output });
}

function saidBy({ output, status, incomplete_details: details, usage }: Response): Said {
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
  const reasoning = output.filter(({ type }) => type === 'reasoning');
  const refused = parts.some(({ refusal }) => refusal);
  const calls = output.filter(({ type }) => type === 'function_call');
  const end = status === 'incomplete' ? (details?.reason === 'content_filter' ? 'refusal' : 'max_tokens') : undefined;
  return {
    text: parts.map(({ text, refusal }) => text ?? refusal ?? '').join(''),
    thinking: reasoning.map((item) => thoughtsOf(item).join('\n\n')).join(''),
    tools: calls.map(({ name, arguments: json }) => ({ name: name!, input: callInput(json!) })),
    stop: status === 'failed' ? 'error' : (end ?? (refused ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn')),
    usage: usage ? usageOf(usage) : undefined,
  };
}

/** Returns the thinking of an item: its summaries, or the reasoning itself for open models. */
function thoughtsOf({ summary, content }: Item): string[] {
  const summaries = (summary ?? []).map(({ text }) => text);
  return summaries.length > 0 ? summaries : (content ?? []).map(({ text }) => text ?? '');
}

function usageOf({ input_tokens: input, output_tokens: output, input_tokens_details: details }: Counted) {
  const cacheRead = Math.min(details?.cached_tokens ?? 0, input);
  const cacheWrite = details?.cache_write_tokens ?? 0;
  return { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output };
}
