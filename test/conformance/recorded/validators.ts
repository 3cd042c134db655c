/** Reads an answer with strict clients, which get the bytes through a fetch function of the test. */

import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageBody, MessagesEvent } from '../../../lambdas/messages/types.ts';
import { callInput, type Said } from './said.ts';

type Heard = Pick<Said, 'text' | 'thinking' | 'tools'>;

/** Returns an answer as the gateway would send it. */
function sseOf(events: MessagesEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

const ask = { model: 'm', max_tokens: 1_000, messages: [{ role: 'user' as const, content: 'Hi' }] };
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

const answering = (body: string, type: string) => () =>
  Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
const streaming = (events: MessagesEvent[]) => answering(sseOf(events), 'text/event-stream');

const aiSdk = (fetch: () => Promise<Response>) =>
  createAnthropic({ baseURL: 'http://gateway.test/v1', apiKey: 'none', fetch })('m');

/**
 * Returns the content of a stream as the AI SDK reads it.
 * @throws {Error} for an event that the SDK refuses
 */
export async function aiSdkStream(events: MessagesEvent[]): Promise<Heard> {
  const { stream } = await aiSdk(streaming(events)).doStream({ prompt });
  const said: Heard = { text: '', thinking: '', tools: [] };
  for await (const part of stream) {
    if (part.type === 'error') throw new Error(`the AI SDK refuses an event: ${wordsOf(part.error)}`);
    if (part.type === 'text-delta') said.text += part.delta;
    if (part.type === 'reasoning-delta') said.thinking += part.delta;
    if (part.type === 'tool-call' && !part.providerExecuted) {
      said.tools.push({ name: part.toolName, input: callInput(part.input) });
    }
  }
  return said;
}

/**
 * Returns the content of a whole message as the AI SDK reads it.
 * @throws {Error} for a message that the SDK refuses
 */
export async function aiSdkMessage(message: MessageBody): Promise<Heard> {
  const fetch = answering(JSON.stringify(message), 'application/json');
  const { content } = await aiSdk(fetch).doGenerate({ prompt });
  const said: Heard = { text: '', thinking: '', tools: [] };
  for (const part of content) {
    if (part.type === 'text') said.text += part.text;
    if (part.type === 'reasoning') said.thinking += part.text;
    if (part.type === 'tool-call' && !part.providerExecuted) {
      said.tools.push({ name: part.toolName, input: callInput(part.input) });
    }
  }
  return said;
}

/** Returns the message that the Anthropic SDK assembles from a stream. */
export async function anthropicSdkMessage(events: MessagesEvent[]): Promise<MessageBody> {
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: streaming(events) });
  return (await client.messages.stream(ask).finalMessage()) as unknown as MessageBody;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
