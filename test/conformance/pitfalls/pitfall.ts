/** Known faults of gateways that translate between the Messages API and other formats. */

import { messagesWires, type MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesEvent, MessagesRequest } from '../../../lambdas/messages/types.ts';
import type { DecodeContext, WireTarget } from '../../../lambdas/providers/wire.ts';
import { messagesWire } from '../../../lambdas/providers/wires.ts';
import { post, type GatewayClient } from '../../support/gateway.ts';
import { readEvents } from '../../support/sse.ts';
import { casesOf } from '../../providers/streams.ts';
import { sandboxModels } from '../clients/report.ts';
import { wireRows } from '../recorded/rows.ts';

export interface Pitfall {
  number: number;
  title: string;
  wires: readonly MessagesWireName[];
  holds: (wire: MessagesWireName, gateway: GatewayClient) => Promise<void> | void;
}

export const everyWire: readonly MessagesWireName[] = messagesWires;
/** Wires for messages that the sandbox supports. */
export const sandboxWires: readonly MessagesWireName[] = messagesWires.filter((wire) =>
  sandboxModels().some((known) => known.wire === wire),
);
/** Wires whose streams are texts. */
export const textWires: readonly MessagesWireName[] = messagesWires.filter((wire) => textStreamsOf(wire).length > 0);
/** All wires for messages except the Messages API itself. */
export const translatedWires: readonly MessagesWireName[] = messagesWires.filter((wire) => wire !== 'anthropic');

export type Json = Record<string, unknown>;

const parameters = ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'reasoning', 'structured_outputs'];

function rowOf(wire: MessagesWireName) {
  return wireRows.find((row) => row.wire === wire)!;
}

/** Returns the quirks of recordings of an unknown provider on this wire. */
export function quirksOf(wire: MessagesWireName): Quirks {
  return rowOf(wire).endpoint('test', 'm').quirks ?? {};
}

function targetWith(quirks: Quirks): WireTarget {
  return { providerId: 'test', upstreamModel: 'm', maxOutputTokens: 8_000, supportedParameters: parameters, quirks };
}

/** Returns the body that the gateway would send to the provider. */
export function bodyOf(wire: MessagesWireName, request: Partial<MessagesRequest>, quirks: Quirks = {}): Json {
  const whole = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }], ...request };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  const target = targetWith({ ...quirksOf(wire), ...quirks });
  return JSON.parse(messagesWire(wire)!.encode(whole, target, client).body) as Json;
}

/** Text streams in the wire's test cases that contain an answer and need no quirk. */
export function textStreamsOf(wire: MessagesWireName): string[] {
  const answers = casesOf(wire).stream.filter(
    ({ becomes, quirks }) => !becomes.error && Object.keys(quirks).length === 0,
  );
  return answers.map(({ sent }) => sent).filter((sent) => /^(data|event):/m.test(sent));
}

interface Message {
  role: string;
  content: string | Json[];
}

/** Returns the request that the gateway would send, converted back to the Messages API. */
export function sentAs(wire: MessagesWireName, request: Partial<MessagesRequest>, quirks: Quirks = {}) {
  const read = rowOf(wire).readRequest(bodyOf(wire, request, quirks), '').request;
  return read as Json & { messages: Message[] };
}

/** Returns the blocks of a conversation in order, each with its role. */
export function blocksOf(messages: Message[]): (Json & { role: string })[] {
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({ role, ...block })),
  );
}

/** Decodes an upstream stream that arrives in these pieces. */
export async function decoded(wire: MessagesWireName, pieces: (string | Buffer)[]): Promise<MessagesEvent[]> {
  async function* body(): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
  }
  const request = { model: 'm', messages: [] };
  const context: DecodeContext = { target: targetWith({}), request, estimatedInputTokens: 7 };
  const events: MessagesEvent[] = [];
  for await (const batch of messagesWire(wire)!.decode(body(), context))
    events.push(...batch.events.map(({ data }) => data));
  return events;
}

export function chatStream(...chunks: object[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

export const chatDelta = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Sends a request to the sandbox's model of a wire. */
export function ask(gateway: GatewayClient, wire: MessagesWireName, directives: string, more: Json = {}) {
  const { model } = sandboxModels().find((known) => known.wire === wire)!;
  const messages = [{ role: 'user', content: `Weather?\n@sandbox delay=0 ${directives}` }];
  return post(gateway, '/messages', { model, max_tokens: 2_000, messages, tools, ...more });
}

export async function eventsFor(gateway: GatewayClient, wire: MessagesWireName, directives: string, more: Json = {}) {
  return readEvents(await ask(gateway, wire, directives, { stream: true, ...more }));
}

export const tools = [
  {
    name: 'get_weather',
    description: 'Weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'get_time', input_schema: { type: 'object', properties: {} } },
];
