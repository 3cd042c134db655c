/** Reads recorded answers with the gateway's decoders, and the results with strict clients. */

import { isDeepStrictEqual } from 'node:util';
import { MessageAssembler } from '../../../lambdas/messages/assemble.ts';
import type { MessageBody, MessagesEvent } from '../../../lambdas/messages/types.ts';
import { statedError } from '../../../lambdas/providers/faults/stated-error.ts';
import type { DecodeContext, MessagesWire } from '../../../lambdas/providers/wire.ts';
import { messagesWire } from '../../../lambdas/providers/wires.ts';
import { complaintsAbout as complaintsAboutStream } from '../../providers/well-formed.ts';
import type { Answer, Interaction } from './interactions.ts';
import type { Measured } from './measured.ts';
import { heard, type Said } from './said.ts';
import { aiSdkMessage, aiSdkStream, anthropicSdkMessage } from './validators.ts';
import type { WireRow } from './wire-row.ts';

export async function measureAnswers(rows: readonly WireRow[], interactions: Interaction[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const interaction of interactions) {
    const row = rows.find(({ wire }) => wire === interaction.wire)!;
    measured.push({ interaction, complaints: await complaintsAbout(interaction, row) });
  }
  return measured;
}

async function complaintsAbout(interaction: Interaction, row: WireRow): Promise<string[]> {
  const wire = messagesWire(interaction.wire)!;
  if (interaction.answer.kind === 'refusal') return complaintsAboutRefusal(interaction.answer);
  try {
    const events = await eventsOf(wire, interaction.answer);
    const message = messageOf(events);
    return [
      ...complaintsAboutStream(events),
      ...differences('', row.read(interaction), heard(events)),
      ...(row.keepsEvents && interaction.answer.kind === 'stream' ? lostEvents(interaction, row, events) : []),
      // A client throws the error of an answer, so its content cannot be compared.
      ...(events.at(-1)?.type === 'error' ? [] : await clientComplaints(events.map(withCounts), message)),
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Returns no complaints if the error message that the gateway reads is a part of the refusal. */
function complaintsAboutRefusal({ bytes }: Answer): string[] {
  const [message] = statedError(bytes.toString()).messages;
  if (message === undefined) return ['the refusal has no message'];
  return JSON.stringify(readJson(bytes) ?? '').includes(JSON.stringify(message).slice(1, -1))
    ? []
    : [`the refusal is "${message}"`];
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const context: DecodeContext = {
  target: { providerId: 'test', upstreamModel: 'm', maxOutputTokens: 1_000, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [] },
  estimatedInputTokens: 7,
};

export async function eventsOf(wire: MessagesWire, { kind, bytes }: Answer): Promise<MessagesEvent[]> {
  if (kind === 'document') {
    const batch = wire.decodeWhole(JSON.parse(bytes.toString()), context);
    if (!batch) throw new Error('the document is not taken for an answer');
    return batch.events.map(({ data }) => data);
  }
  const events: MessagesEvent[] = [];
  for await (const batch of wire.decode(pieces(bytes), context)) events.push(...batch.events.map(({ data }) => data));
  return events;
}

/** Yields the bytes in pieces of at most 997 bytes, which may end within lines, events and characters. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 997)
    yield await Promise.resolve(bytes.subarray(start, start + 997));
}

export function messageOf(events: MessagesEvent[]): MessageBody {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish()!;
}

/**
 * Returns a sentence about each part in which two answers differ; a part that is undefined in `said` is not compared.
 */
export function differences(who: string, said: Partial<Said>, own: Partial<Said>): string[] {
  return (Object.keys(said) as (keyof Said)[])
    .filter((part) => said[part] !== undefined && !isDeepStrictEqual(said[part], own[part]))
    .map((part) => `${who}${part} is ${excerpt(own[part])} instead of ${excerpt(said[part])}`);
}

function excerpt(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'nothing';
}

/** Compares events that pass through unchanged. */
function lostEvents(interaction: Interaction, { keepsEvents }: WireRow, events: MessagesEvent[]): string[] {
  const recorded = keepsEvents!(interaction);
  return isDeepStrictEqual(events, recorded) ? [] : ['events are not as they were recorded'];
}

/** Adds the counts that the gateway adds if a provider does not report them. */
export function withCounts(event: MessagesEvent): MessagesEvent {
  if (event.type !== 'message_delta') return event;
  return { ...event, usage: { output_tokens: 0, ...event.usage } };
}

async function clientComplaints(events: MessagesEvent[], message: MessageBody): Promise<string[]> {
  const { text, thinking, tools } = heard(events);
  const said = { text, thinking, tools };
  const accumulated = await anthropicSdkMessage(events);
  // A copy has no symbols, like JSON.
  const sent = structuredClone(message.content);
  return [
    ...differences('AI SDK, streamed: ', said, await aiSdkStream(events)),
    ...differences('AI SDK, whole: ', said, await aiSdkMessage(message)),
    ...(isDeepStrictEqual(accumulated.content, sent) ? [] : ['the Anthropic SDK puts another message together']),
    ...(accumulated.stop_reason === message.stop_reason ? [] : ['the Anthropic SDK reads another reason to stop']),
  ];
}
