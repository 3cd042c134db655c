import type { MessagesEvent } from '../../lambdas/messages/types.ts';

/** Text fields of deltas. */
const textFields: Record<string, string> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
  signature_delta: 'signature',
  audio_delta: 'data',
  transcript_delta: 'transcript',
};
/** Fields of blocks on which a client relies. Some providers omit fields that deltas fill. */
const blockFields: Record<string, { needed?: string[]; filled?: string[] }> = {
  text: { filled: ['text'] },
  thinking: { filled: ['thinking'] },
  redacted_thinking: { needed: ['data'] },
  tool_use: { needed: ['id', 'name'] },
  server_tool_use: { needed: ['id', 'name'] },
  audio: { needed: ['id', 'data', 'transcript'] },
};
const counts = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns the faults that a client would find in a complete or incomplete answer. */
export function complaintsAbout(events: MessagesEvent[]): string[] {
  const complaints: string[] = [];
  const check = (holds: boolean, what: string) => !holds && complaints.push(what);
  const open = new Map<number, string>();
  let started = false;
  let closing = false;
  let ended = false;
  let next = 0;
  for (const event of events) {
    check(!ended, `${event.type} after the end`);
    if (event.type !== 'ping' && event.type !== 'error') check(started || event.type === 'message_start', 'no start');
    switch (event.type) {
      case 'message_start':
        check(!started, 'two starts');
        check(isStart(event.message), `a start with ${JSON.stringify(event.message)}`);
        started = true;
        break;
      case 'content_block_start':
        check(!closing && event.index === next, `block ${JSON.stringify(event.index)} in the place of ${next}`);
        check(isBlock(event.content_block), `a block ${JSON.stringify(event.content_block)}`);
        open.set(next, event.content_block.type);
        next += 1;
        break;
      case 'content_block_delta':
        check(open.has(event.index), `a delta of ${JSON.stringify(event.index)}, which is not open`);
        check(isDelta(event.delta), `a delta ${JSON.stringify(event.delta)}`);
        break;
      case 'content_block_stop':
        check(open.delete(event.index), `the stop of ${JSON.stringify(event.index)}, which is not open`);
        break;
      case 'message_delta':
        check(isEnding(event.delta), `an ending ${JSON.stringify(event.delta)}`);
        check(hasCounts(event.usage), `usage ${JSON.stringify(event.usage)}`);
        closing ||= event.delta.stop_reason !== null && event.delta.stop_reason !== undefined;
        // A block that max_tokens cuts may stay open.
        if (closing && event.delta.stop_reason !== 'max_tokens')
          check(open.size === 0, `an ending with open blocks: ${[...open.values()].join(', ')}`);
        break;
      case 'message_stop':
        check(closing, 'a stop without a reason');
        ended = true;
        break;
      case 'error':
        ended = true;
        break;
    }
  }
  return complaints;
}

function isStart(message: unknown): boolean {
  if (!isRecord(message) || message['type'] !== 'message' || message['role'] !== 'assistant') return false;
  return Array.isArray(message['content']) && message['content'].length === 0 && hasCounts(message['usage']);
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || !isText(block['type'])) return false;
  const { needed = [], filled = [] } = blockFields[block['type']] ?? {};
  const isWhole = needed.every((field) => isText(block[field]));
  const isFit = filled.every((field) => block[field] === undefined || isText(block[field]));
  const { signature, citations, input } = block;
  const isSigned = signature == null || isText(signature);
  return (
    isWhole &&
    isFit &&
    isSigned &&
    (citations == null || Array.isArray(citations)) &&
    (input == null || isRecord(input))
  );
}

function isDelta(delta: unknown): boolean {
  if (!isRecord(delta) || !isText(delta['type'])) return false;
  if (delta['type'] === 'citations_delta') return isRecord(delta['citation']);
  const field = textFields[delta['type']];
  return field === undefined || isText(delta[field]);
}

function isEnding(delta: unknown): boolean {
  return (
    isRecord(delta) && ['stop_reason', 'stop_sequence'].every((field) => delta[field] == null || isText(delta[field]))
  );
}

function isCount(value: unknown): boolean {
  return value == null || (Number.isSafeInteger(value) && (value as number) >= 0);
}

function hasCounts(usage: unknown): boolean {
  return isRecord(usage) && counts.every((field) => isCount(usage[field]));
}
