import { createParser } from 'eventsource-parser';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';

/**
 * Returns the events of an answer in order.
 * @param onEvent called with each event as it arrives
 */
export async function readEvents(
  response: Response,
  onEvent: (event: MessagesEvent) => void = () => {},
): Promise<MessagesEvent[]> {
  const events: MessagesEvent[] = [];
  const parser = createParser({
    onEvent({ data }) {
      const event = JSON.parse(data) as MessagesEvent;
      events.push(event);
      onEvent(event);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) parser.feed(decoder.decode(chunk, { stream: true }));
  return events;
}

export function summarize(events: MessagesEvent[]) {
  const blocks = new Map<number, { type: string; name?: unknown; text: string }>();
  let stopReason: string | null = null;
  let usage: Record<string, unknown> = {};
  for (const event of events) {
    if (event.type === 'content_block_start') {
      blocks.set(event.index, { type: event.content_block.type, name: event.content_block['name'], text: '' });
    }
    if (event.type === 'content_block_delta') {
      const block = blocks.get(event.index)!;
      const { delta } = event;
      if (delta.type === 'text_delta') block.text += delta.text;
      if (delta.type === 'thinking_delta') block.text += delta.thinking;
      if (delta.type === 'input_json_delta') block.text += delta.partial_json;
    }
    if (event.type === 'message_delta') {
      stopReason = event.delta.stop_reason;
      usage = event.usage;
    }
  }
  const of = (type: string) => [...blocks.values()].filter((block) => block.type === type);
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thinking: of('thinking')
      .map(({ text }) => text)
      .join(''),
    tools: of('tool_use').map(({ name, text }) => ({ name, input: toolInput(text) })),
    stopReason,
    usage,
  };
}

/** Parses the input of a tool call. Truncated JSON is returned as text. */
function toolInput(json: string): unknown {
  try {
    return JSON.parse(json || '{}');
  } catch {
    return json;
  }
}
