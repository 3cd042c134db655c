/**
 * Contract of the wires, for any input from a provider: the tests cut and mix the streams of `streams/<wire>/`, and
 * change their values. The output must obey the rules on which clients of the Messages API rely.
 */

import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { errorKinds } from '../../lambdas/platform/errors.ts';
import { parseExactly } from '../../lambdas/platform/json/exact-json.ts';
import { errorInAnswer, failureOf } from '../../lambdas/providers/failures.ts';
import { statedError } from '../../lambdas/providers/faults/stated-error.ts';
import { UpstreamError } from '../../lambdas/providers/http/upstream-error.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { DecodeContext, MessagesWire } from '../../lambdas/providers/wire.ts';
import { entriesIn, placesIn } from '../support/long-runs.ts';
import { bytesOf, casesOf, eventsOf, isFramed, mutationsOf, withUsage, type Case } from './streams.ts';
import { complaintsAbout } from './well-formed.ts';

/** Input that is unreadable, or that a reader must ignore. */
const GARBAGE: readonly Buffer[] = [
  Buffer.from('\n\n'),
  Buffer.from(': a comment\n\n'),
  Buffer.from('data: {"\n\n'),
  Buffer.from('data: null\n\n'),
  Buffer.from('data: 5\n\n'),
  Buffer.from('data: []\n\n'),
  Buffer.from('event: message_start\ndata:\n\n'),
  Buffer.from('{"\n'),
  Buffer.from('null\n'),
  Buffer.from('<html><body>Bad gateway</body></html>\n\n'),
  Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x0a, 0x0a]),
];

interface Outcome {
  events: MessagesEvent[];
  /** Error that was thrown after the events. */
  failure: unknown;
  /** Number of events before each piece of the input. */
  before: number[];
  /** Number of pieces up to the stop reason; undefined if the answer has none. */
  closedAfter: number | undefined;
}

type Pieces = Iterable<string | Buffer>;

/** Returns the context of a request. If the endpoint draws or speaks, the request asks for images or speech. */
const contextOf = ({ quirks }: { quirks: Quirks }): DecodeContext => ({
  target: { providerId: 'test', upstreamModel: 'm', maxOutputTokens: 1_000, supportedParameters: [], quirks },
  request: { model: 'm', messages: [], stop_sequences: ['END'], modalities: quirks.modalities ?? ['text'] },
  estimatedInputTokens: 7,
});

async function decode(wire: MessagesWire, from: Pick<Case, 'quirks'>, pieces: Pieces): Promise<Outcome> {
  const outcome: Outcome = { events: [], failure: undefined, before: [], closedAfter: undefined };
  async function* body(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      outcome.before.push(outcome.events.length);
      yield await Promise.resolve(typeof piece === 'string' ? bytesOf(piece) : piece);
    }
    outcome.before.push(outcome.events.length);
  }
  try {
    for await (const { events, isClosing } of wire.decode(body(), contextOf(from))) {
      outcome.events.push(...events.map(({ data }) => withStableId(data)));
      if (isClosing || events.some(({ data }) => hasStopReason(data))) outcome.closedAfter ??= outcome.before.length;
    }
  } catch (failure) {
    outcome.failure = failure;
  }
  return outcome;
}

function hasStopReason(event: MessagesEvent): boolean {
  return event.type === 'message_delta' && Boolean(event.delta.stop_reason);
}

/** Replaces random ids, which calls and recordings without an id get. */
function withStableId(event: MessagesEvent): MessagesEvent {
  if (event.type !== 'content_block_start') return event;
  const { id } = event.content_block;
  if (typeof id !== 'string' || !/^(?:toolu|audio)_[0-9a-f]{32}$/.test(id)) return event;
  return { ...event, content_block: { ...event.content_block, id: `made ${event.index}` } };
}

/**
 * Yields copies of a frame with a changed byte, with a length that is too small, or with a length that is too large to
 * wait for.
 */
function* damagedFrames(frame: Buffer): Generator<Buffer> {
  for (let at = 0; at < frame.length; at += 1) {
    const damaged = Buffer.from(frame);
    damaged[at]! ^= 0x41;
    yield damaged;
  }
  for (const length of [0, 15, 2 ** 32 - 1]) {
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(length);
    prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
    yield Buffer.concat([prelude, frame.subarray(12)]);
  }
}

const isWhole = ({ events, failure }: Outcome) => events.at(-1)?.type === 'message_stop' && failure === undefined;

function messageOf(events: MessagesEvent[]) {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.add(event);
  return assembler.finish();
}

/** The output must end as a complete answer, with an error event, or with an exception. */
function expectSound(outcome: Outcome, sent: string): void {
  const { events, failure } = outcome;
  expect(complaintsAbout(events), sent).toEqual([]);
  if (isWhole(outcome) || (events.at(-1)?.type === 'error' && failure === undefined)) return;
  expect(events.at(-1)?.type, sent).not.toBe('message_stop');
  expectProvidersFailure(failure, sent);
}

const provider = { id: 'test', name: 'Test', baseUrl: 'http://test', credential: undefined };

/** Returns a provider's error as a client of the Messages API gets it. */
function errorRead(error: unknown): { type: string; message: string } {
  const { kind, message } = errorInAnswer(error, {}, provider);
  return { type: errorKinds[kind].messagesType, message };
}

/** The failure must be a failure of the provider, after which another endpoint may be tried. */
function expectProvidersFailure(failure: unknown, sent: string): void {
  expect(failure, sent).toBeInstanceOf(Error);
  const told = failureOf(failure, provider);
  expect(told, sent).toMatchObject({ status: 502, mayTryAnother: true });
}

/** The output must contain the whole answer if it claims to be complete. */
function expectAllOrFailure(outcome: Outcome, whole: Outcome, sent: string): void {
  expectSound(outcome, sent);
  if (isWhole(outcome)) expect(messageOf(outcome.events)!.content, sent).toEqual(messageOf(whole.events)!.content);
}

export function describeWire(name: string, wire: MessagesWire): void {
  const { stream, document, refusal } = casesOf(name);
  describeStreams(name, wire, stream);
  describeDocuments(name, wire, document);
  describeRefusals(name, refusal);
}

function describeStreams(name: string, wire: MessagesWire, streams: Case[]): void {
  const answers = streams.filter(({ becomes }) => !becomes.error);
  const errors = streams.filter(({ becomes }) => becomes.error);
  const errorEvents = errors.filter(({ sent }) => eventsOf(sent).length === 1);

  describe(`a stream over ${name}`, () => {
    it('has at least one answer, and one with only an error', () => {
      expect([answers.length > 0, errorEvents.length > 0]).toEqual([true, true]);
    });

    it.each(answers)('is decoded as expected: $name', async ({ sent, becomes, quirks }) => {
      const outcome = await decode(wire, { quirks }, [sent]);
      expectSound(outcome, sent);
      // Without members for the gateway's own code, whose names are symbols.
      const message = JSON.parse(JSON.stringify(messageOf(outcome.events))) as object;
      expect(message).toEqual({ ...message, ...becomes });
    });

    it.each(errors)('ends with the expected error: $name', async ({ sent, becomes, quirks }) => {
      const outcome = await decode(wire, { quirks }, [sent]);
      expectSound(outcome, sent);
      const last = outcome.events.at(-1) as Extract<MessagesEvent, { type: 'error' }>;
      expect(last.type).toBe('error');
      expect(errorRead(last.error)).toMatchObject(becomes.error!);
    });

    it.each(streams)('is the same at any cut of its bytes: $name', async (given) => {
      const bytes = bytesOf(given.sent);
      const { events } = await decode(wire, given, [bytes]);
      const single = Array.from(bytes, (byte) => Buffer.of(byte));
      expect((await decode(wire, given, single)).events).toEqual(events);
      for (const at of placesIn(bytes.length, { ofWhichAlways: 30 })) {
        const outcome = await decode(wire, given, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(outcome.events, `cut at ${at}`).toEqual(events);
      }
    });

    it.each(streams)('fails after its output if it ends early, unless it had its stop reason: $name', async (given) => {
      const events = eventsOf(given.sent);
      const whole = await decode(wire, given, events);
      for (const [index, event] of events.entries()) {
        const bytes = bytesOf(event);
        for (const torn of [[], [bytes.subarray(0, bytes.length / 2)]]) {
          const outcome = await decode(wire, given, [...events.slice(0, index), ...torn]);
          expectAllOrFailure(outcome, whole, given.sent);
          if (outcome.failure === undefined) continue;
          expect(outcome.failure).toBeInstanceOf(UpstreamError);
          expect(outcome.events).toEqual(whole.events.slice(0, whole.before[index]));
        }
      }
    });

    it.each(streams)('with garbage in it is a complete answer or a failure: $name', async (given) => {
      const events = eventsOf(given.sent);
      const whole = await decode(wire, given, events);
      for (const garbage of GARBAGE) {
        for (const at of placesIn(events.length + 1, { ofWhichAlways: 5 })) {
          const pieces = (events as (string | Buffer)[]).toSpliced(at, 0, garbage);
          expectAllOrFailure(await decode(wire, given, pieces), whole, `${String(garbage)} at ${at}`);
        }
      }
    });

    it.each(answers)('is complete after its stop reason, whatever follows: $name', async (given) => {
      const events = eventsOf(given.sent);
      const whole = await decode(wire, given, events);
      const said = events.slice(0, whole.closedAfter);
      expect(whole.closedAfter).toBeDefined();
      const torn = events.slice(said.length).map((event) => bytesOf(event).subarray(0, -(event.length / 2)));
      for (const last of [Buffer.of(), ...torn, ...GARBAGE]) {
        for (const unreadable of [Buffer.of(), ...GARBAGE]) {
          const outcome = await decode(wire, given, [...said, Buffer.concat([unreadable, last])]);
          expect([isWhole(outcome), outcome.failure], `${String(unreadable)}${String(last)}`).toEqual([
            true,
            undefined,
          ]);
          expectAllOrFailure(outcome, whole, given.sent);
        }
      }
    });

    it.each(streams)('with garbage after its end, in the same chunk, is unchanged: $name', async (given) => {
      const bytes = bytesOf(given.sent);
      const { events, failure } = await decode(wire, given, [bytes]);
      for (const garbage of GARBAGE) {
        const outcome = await decode(wire, given, [Buffer.concat([bytes, garbage])]);
        expect([outcome.events, outcome.failure], String(garbage)).toEqual([events, failure]);
      }
    });

    it.each(streams.filter(({ sent }) => isFramed(sent)))(
      'with a damaged frame fails after its output: $name',
      async (given) => {
        const events = eventsOf(given.sent);
        const whole = await decode(wire, given, events);
        for (const [index, event] of events.entries()) {
          for (const damaged of entriesIn([...damagedFrames(bytesOf(event))], { ofWhichAlways: 12 })) {
            const outcome = await decode(wire, given, [...events.slice(0, index), damaged, ...events.slice(index + 1)]);
            expectAllOrFailure(outcome, whole, event);
            expect(outcome.events.slice(0, whole.before[index])).toEqual(whole.events.slice(0, whole.before[index]));
          }
        }
      },
    );

    it.each(streams)('with an error in it has its output, and then the error: $name', async (given) => {
      const events = eventsOf(given.sent);
      const whole = await decode(wire, given, events);
      for (const { sent } of errorEvents.filter((error) => isFramed(error.sent) === isFramed(given.sent))) {
        for (const at of placesIn(events.length, { ofWhichAlways: 5 })) {
          const outcome = await decode(wire, given, events.toSpliced(at, 0, sent));
          const said = whole.events.slice(0, whole.before[at]);
          const hasEnded = said.at(-1)?.type === 'message_stop' || whole.before[at] === undefined;
          const error = expect.objectContaining({ type: 'error' }) as MessagesEvent;
          expect(outcome.events, `an error at ${at}`).toEqual(hasEnded ? whole.events : [...said, error]);
        }
      }
    });

    it.each(streams)('is valid if it begins twice, or repeats an event: $name', async (given) => {
      const events = eventsOf(given.sent);
      for (const place of placesIn(events.length, { ofWhichAlways: 5 })) {
        const at = place + 1;
        expectSound(await decode(wire, given, events.toSpliced(at, 0, events[0]!)), `a start at ${at}`);
        expectSound(await decode(wire, given, events.toSpliced(at, 0, events[at - 1]!)), `${events[at - 1]} twice`);
        expectSound(await decode(wire, given, events.toSpliced(at, 0, ...events)), `all again at ${at}`);
      }
    });

    it.each(streams)('is the same answer without usage, and with invalid usage: $name', async (given) => {
      const { events } = await decode(wire, given, [given.sent]);
      for (const usage of [undefined, null]) {
        const outcome = await decode(
          wire,
          given,
          eventsOf(given.sent).map((event) => withUsage(event, usage)),
        );
        expectSound(outcome, given.sent);
        expect(messageOf(outcome.events)?.content).toEqual(messageOf(events)?.content);
      }
    });

    it.each(streams)('is valid with anything in place of any value: $name', async (given) => {
      const events = eventsOf(given.sent);
      const changed = events.flatMap((event, index) =>
        [...mutationsOf(event)].map((mutation) => ({ index, mutation })),
      );
      for (const place of placesIn(changed.length, { ofWhichAlways: 60 })) {
        const { index, mutation } = changed[place]!;
        expectSound(await decode(wire, given, events.with(index, mutation)), mutation);
      }
    });
  });
}

function describeDocuments(name: string, wire: MessagesWire, documents: Case[]): void {
  describe.skipIf(documents.length === 0)(`a document over ${name}`, () => {
    it.each(documents)('is decoded as expected: $name', (given) => {
      const outcome = readDocument(wire, given.sent, given);
      expectSound(outcome, given.sent);
      const message = messageOf(outcome.events);
      expect(message).toEqual({ ...message, ...given.becomes });
    });

    it.each(documents)('is valid with anything in place of any value: $name', (given) => {
      for (const mutation of mutationsOf(given.sent)) expectSound(readDocument(wire, mutation, given), mutation);
    });
  });
}

function readDocument(wire: MessagesWire, text: string, from: Case): Outcome {
  const outcome: Outcome = { events: [], failure: undefined, before: [], closedAfter: undefined };
  try {
    const batch = wire.decodeWhole(parseExactly(text), contextOf(from));
    // The caller treats a document without an answer as a refusal.
    if (!batch) throw new UpstreamError('malformed', 'No answer');
    outcome.events = batch.events.map(({ data }) => data);
  } catch (failure) {
    outcome.failure = failure;
  }
  return outcome;
}

function describeRefusals(name: string, refusals: Case[]): void {
  describe.skipIf(refusals.length === 0)(`a refusal over ${name}`, () => {
    it.each(refusals)('is classified as expected: $name', ({ sent, becomes }) => {
      const [message] = statedError(sent).messages;
      expect({ fault: errorInAnswer(sent, {}, provider).fault, message }).toEqual(becomes);
    });

    it.each(refusals)('has an error message whatever it contains: $name', ({ sent }) => {
      const prefixes = Array.from(sent, (_, length) => sent.slice(0, length));
      for (const text of [...mutationsOf(sent), ...prefixes]) {
        expect(errorRead(text).message, text).toMatch(/./);
      }
    });
  });
}
