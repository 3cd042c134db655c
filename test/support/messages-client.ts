import { createParser } from 'eventsource-parser';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import type { WireName } from './dialects.ts';
import type { GatewayClient } from './gateway.ts';
import { fallbackOrder, modelOf } from './hostile-catalog.ts';

export interface Question {
  wire: WireName;
  stream?: boolean;
  /** Whether the model has a second, working endpoint. */
  fallback?: boolean;
  /** Whether the model's provider signs thinking itself (Anthropic wire). */
  signing?: boolean;
  maxTokens?: number;
  /** Maximum time in ms for the whole answer. */
  patienceMs?: number;
}

export interface Reply {
  status: number;
  headers: Headers;
  body: string;
  /** Body of an answer that is not streamed. */
  message: Record<string, unknown> | undefined;
  events: MessagesEvent[];
  error: ClientError | undefined;
  text: string;
  stopReason: unknown;
}

interface ClientError {
  type: string;
  code: number;
  message: string;
  metadata: Record<string, unknown>;
}

export const MAX_TOKENS = 200;

/**
 * Sends a question with the marker of a behavior.
 * @param leaving disconnects the client
 */
export function ask(
  client: GatewayClient,
  question: Question,
  marker: string,
  leaving?: AbortSignal,
): Promise<Response> {
  const patience = AbortSignal.timeout(question.patienceMs ?? 12_000);
  return fetch(`${client.baseUrl}/messages`, {
    method: 'POST',
    signal: leaving ? AbortSignal.any([leaving, patience]) : patience,
    headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(question),
      max_tokens: question.maxTokens ?? MAX_TOKENS,
      stream: question.stream ?? false,
      ...(question.fallback ? { provider: { order: fallbackOrder(question.wire) } } : {}),
      messages: [{ role: 'user', content: `Hello! ${marker}` }],
    }),
  });
}

/** Reads the whole response, streamed or not, including errors. */
export async function replyOf(response: Response): Promise<Reply> {
  const body = await response.text();
  const { status, headers } = response;
  if (!headers.get('content-type')!.startsWith('text/event-stream')) {
    const json = body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>);
    const message = status === 200 ? json : undefined;
    const error = json?.['error'] as ClientError | undefined;
    const text = message ? textOf(message) : '';
    return { status, headers, body, message, events: [], error, text, stopReason: message?.['stop_reason'] };
  }
  const events = eventsOf(body);
  const error = events.find((event) => event.type === 'error')?.error as ClientError | undefined;
  const reasons = events.filter((event) => event.type === 'message_delta').map(({ delta }) => delta.stop_reason);
  const stopReason = reasons.at(-1);
  return { status, headers, body, message: undefined, events, error, text: writtenIn(events), stopReason };
}

function eventsOf(body: string): MessagesEvent[] {
  const events: MessagesEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as MessagesEvent) });
  parser.feed(body);
  return events;
}

function writtenIn(events: MessagesEvent[]): string {
  const deltas = events.filter((event) => event.type === 'content_block_delta').map(({ delta }) => delta);
  return deltas.map((delta) => (delta.type === 'text_delta' ? delta.text : '')).join('');
}

function textOf({ content }: Record<string, unknown>): string {
  return (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}
