import type { MessageBody, MessagesEvent } from '../../../lambdas/messages/types.ts';
import type { Interaction } from './interactions.ts';
import { eventData, heard, type Said } from './said.ts';
import type { WireRow } from './wire-row.ts';

export const anthropicRow: WireRow = {
  wire: 'anthropic',
  address: /\/v1\/messages$/,
  isEvent: ({ type }) => type === 'message_start',
  isDocument: ({ type, role }) => type === 'message' && role === 'assistant',
  streamType: 'text/event-stream',
  frame: (lines) =>
    Buffer.from(lines.map((line) => `event: ${(JSON.parse(line) as MessagesEvent).type}\ndata: ${line}\n\n`).join('')),
  read: readAnswer,
  keepsEvents: recordedEvents,
  readRequest: (body) => ({ request: body, unsaid: [] }),
  endpoint: (catalogId) => ({ catalogId }),
  documented: [],
};

function readAnswer({ answer }: Interaction): Said {
  if (answer.kind === 'stream') return heard(recordedEvents({ answer }));
  const { content, stop_reason: stop, usage } = JSON.parse(answer.bytes.toString()) as MessageBody;
  const of = (type: string) => content.filter((block) => block.type === type);
  return {
    text: of('text')
      .map(({ text: words }) => words as string)
      .join(''),
    thinking: of('thinking')
      .map(({ thinking }) => thinking as string)
      .join(''),
    tools: of('tool_use').map(({ name, input }) => ({ name: name as string, input })),
    stop: stop ?? undefined,
    usage: {
      input: usage.input_tokens!,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
      output: usage.output_tokens!,
    },
  };
}

/**
 * Returns the events of the first answer. Some recordings contain several answers, of which only the first belongs to
 * this request. A repeated beginning is removed, because clients can only handle one.
 */
function recordedEvents({ answer }: Pick<Interaction, 'answer'>): MessagesEvent[] {
  const events = eventData(answer.bytes.toString()) as unknown as MessagesEvent[];
  const first = events.slice(0, events.findIndex(({ type }) => type === 'message_stop') + 1);
  return first.filter(({ type }, index) => type !== 'message_start' || index === 0);
}
