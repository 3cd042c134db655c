/**
 * Attacks by providers of images, speech, transcripts, ranks and embeddings. An invalid answer counts as a failure of
 * the provider, and is free unless content has reached the client. The gateway reads only a limited part of an
 * attacking response. Reported usage never costs more than was held.
 */

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { billingUnits, priceNameOf } from '../../lambdas/catalog/unit-lists.ts';
import { abortBecause } from '../../lambdas/inference/abort.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { maxCostOf, prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { answerEach, chargedFor, type BatchRound } from '../../lambdas/inference/batch/rounds.ts';
import type { WireUsage } from '../../lambdas/messages/types.ts';
import { Money } from '../../lambdas/money/money.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { StreamedAnswer } from '../../lambdas/providers/batch-engine.ts';
import { failureOf, type ProviderFailure } from '../../lambdas/providers/failures.ts';
import { failedProvider } from '../../lambdas/routing/connection.ts';
import { candidateAt } from '../support/candidate.ts';
import { stopUpstreams, upstream } from '../support/direct-upstream.ts';
import { entriesIn } from '../support/long-runs.ts';
import { drawnImage, mediaWires, type MediaBody, type MediaWire } from '../support/media-answers.ts';

/** Every unit has a price, so that every reported count costs something. */
const prices = Object.fromEntries(
  billingUnits.map((unit) => [priceNameOf(unit), Money.parse('0.001')]),
) as unknown as Pricing;

type Answering = (response: ServerResponse, body: MediaBody) => unknown;

const wires = await mediaWires();
/** Behaviors by the first part of the request's path. */
const behaviors = new Map<string, { bodies: readonly MediaBody[]; answers: readonly Answering[] }>();
let url: string;
beforeAll(async () => {
  ({ url } = await upstream(async (response, { url: path = '' }) => {
    const behavior = behaviors.get(path.split('/')[1]!)!;
    const { bodies, answers } = behavior;
    const [[body = bodies.at(-1)!, ...rest], [answering = validly, ...others]] = [bodies, answers];
    behaviors.set(path.split('/')[1]!, { bodies: rest.length > 0 ? rest : [body], answers: others });
    response.on('error', () => {});
    await answering(response, body);
  }));
});
afterAll(stopUpstreams);

function textOf(body: MediaBody): string | Buffer {
  if ('sound' in body) return body.sound;
  if ('document' in body) return JSON.stringify(body.document);
  return body.events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

const typeOf = (body: MediaBody) =>
  'sound' in body ? 'image/png' : 'events' in body ? 'text/event-stream' : 'application/json';

const validly: Answering = (response, body) =>
  response.writeHead(200, { 'content-type': typeOf(body) }).end(textOf(body));

interface Outcome {
  failure: ProviderFailure | undefined;
  /** Whether the client got a part of the answer before a failure. */
  hasBegun: boolean;
  cost: Money;
  held: Money;
}

let requests = 0;
const refused = () => new Error('too large');

async function ask(wire: MediaWire, answers: readonly Answering[], signal?: AbortSignal): Promise<Outcome> {
  const { engine, task, target } = wire;
  const id = `r${(requests += 1)}`;
  const at = `${url}/${id}`;
  behaviors.set(id, { bodies: wire.bodies(at), answers });
  const messages = candidateAt(at, { timeouts: { first_byte_ms: 20_000, idle_ms: 20_000 } });
  const candidate = {
    ...messages,
    endpoint: { ...messages.endpoint, pricing: prices, quirks: target.quirks ?? {} },
    pricing: prices,
    held: { pricing: prices, serviceCost: undefined },
    target: { ...messages.target, ...target },
    engine,
  } as unknown as BatchCandidate<never>;
  const offers = prepareOffers([candidate], task as never, { tooLarge: refused, tooMany: refused });
  const turn = {
    signal: signal ?? new AbortController().signal,
    log: new AttemptLog(new ProviderTime()),
    health: { record: () => {}, publish: async () => {} },
    requestId: 'req_test',
  };
  const { result, rounds } = await answerEach(offers, { task: task as never, maxAtOnce: 4, isBilledWhole: true }, turn);
  const held = maxCostOf(offers[0]!);
  if ('failure' in result) return { failure: result.failure, hasBegun: false, cost: costOf(rounds), held };
  if (!isStreamed(result.answer)) return { failure: undefined, hasBegun: true, cost: costOf(rounds), held };
  const { failure, round } = await streamed(result.answer, candidate);
  return { failure, hasBegun: true, cost: costOf(round ? [...rounds, round] : rounds), held };
}

const costOf = (rounds: readonly BatchRound[]) => Money.sum(rounds.map(({ cost }) => cost));
const isStreamed = (answer: unknown): answer is StreamedAnswer<unknown> =>
  typeof answer === 'object' && answer !== null && 'parts' in answer;

async function streamed({ parts, batchRequest }: StreamedAnswer<unknown>, candidate: BatchCandidate) {
  let usage: WireUsage | undefined;
  let tokens = 0;
  let failure: ProviderFailure | undefined;
  try {
    for await (const part of parts) {
      usage = part.usage ?? usage;
      tokens += part.estimatedTokens ?? 0;
    }
  } catch (error) {
    failure = failureOf(error, failedProvider(candidate));
  }
  return { failure, round: batchRequest && chargedFor(batchRequest, usage, candidate, tokens) };
}

const page = '<html><body>Welcome to the proxy in front of this provider of wonderful things</body></html>';
const ending =
  (type: string, text: string): Answering =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(text);
const zipped =
  (zip: (body: MediaBody) => Buffer): Answering =>
  (response, body) =>
    response.writeHead(200, { 'content-type': typeOf(body), 'content-encoding': 'gzip' }).end(zip(body));

const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));

const empty: Record<string, Answering> = {
  'a page of HTML': ending('text/html', page),
  'a page of HTML as JSON': ending('application/json', page),
  'a page of HTML as sound': ending('audio/mpeg', page),
  nothing: ending('application/json', ''),
  null: ending('application/json', 'null'),
  'an empty list': ending('application/json', '[]'),
  'an unknown object': ending('application/json', '{"a":1}'),
  'a deep list': ending('application/json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  'an error': ending('application/json', '{"error":{"message":"try later","type":"server_error"}}'),
  'an error as an event': ending('text/event-stream', 'data: {"error":{"message":"later","type":"server_error"}}\n\n'),
  'a compressed answer': zipped((body) => gzipSync(textOf(body))),
  'a bomb of gzip': zipped(() => bomb),
};

/** Position of the attacked exchange: the answer, the state of a job, or its file. */
interface Place {
  wire: MediaWire;
  step: number;
}
const places = wires.flatMap((wire) => wire.bodies('http://x').map((_, step): Place => ({ wire, step })));

function attackAt({ wire, step }: Place, attack: Answering, signal?: AbortSignal): Promise<Outcome> {
  // A failed poll is repeated, so the attack is repeated as well.
  const repeats = Array.from({ length: 8 }, () => attack);
  return ask(wire, [...Array.from({ length: step }, () => validly), ...repeats], signal);
}

/** Returns the places for which the check fails, so that one test reports them all. */
async function failingAt(attacked: readonly Place[], attack: Answering, isWell: (outcome: Outcome) => boolean) {
  const outcomes = await Promise.all(attacked.map((place) => attackAt(place, attack)));
  return attacked.flatMap(({ wire, step }, index) => {
    const { failure, hasBegun, cost } = outcomes[index]!;
    if (isWell(outcomes[index]!)) return [];
    return [{ wire: wire.name, step, status: failure?.status, hasBegun, cost: cost.toString() }];
  });
}

const isProviders = ({ failure }: Outcome) => failure !== undefined && [502, 504, 529].includes(failure.status);
const isFreeFailure = (outcome: Outcome) => isProviders(outcome) && !outcome.hasBegun && outcome.cost.isZero;
/** If an answer broke off after its first content, that content may be charged. */
const isBoundedFailure = (outcome: Outcome) =>
  isProviders(outcome) && (outcome.hasBegun || outcome.cost.isZero) && !outcome.cost.exceeds(outcome.held);

const isCharged = ({ failure, cost, held }: Outcome) => !failure && !cost.isZero && !cost.exceeds(held);

it('valid answers over every wire are charged within their holds', async () => {
  const answered = places.filter(({ step }) => step === 0);

  expect(await failingAt(answered, validly, isCharged)).toEqual([]);
});

/** Polls are repeated after pauses, so the short form has only some attacks on polls. */
const onPolls = new Set(entriesIn(Object.keys(empty), { ofWhichAlways: 1 }));

describe.concurrent('in place of an answer', () => {
  it.each(Object.entries(empty))('%s is the failure of the provider, and free', async (what, attack) => {
    const attacked = places.filter(({ step }) => step === 0 || onPolls.has(what));

    expect(await failingAt(attacked, attack, isFreeFailure)).toEqual([]);
  });
});

const cut: Answering = (response, body) => {
  const text = Buffer.from(textOf(body) as string);
  response.writeHead(200, { 'content-type': typeOf(body) });
  response.write(text.subarray(0, text.length / 2), () => response.destroy());
};

describe('an answer that does not end well', () => {
  it('is the failure of the provider if its connection is cut', async () => {
    expect(await failingAt(entriesIn(places, { ofWhichAlways: 12 }), cut, isBoundedFailure)).toEqual([]);
  });

  it('is not read beyond its bound, whatever length it declares', async () => {
    const filling = Buffer.alloc(256 * 1024, 'A');
    let written = 0;
    const fill = function* () {
      for (; ; written += filling.length) yield filling;
    };
    const endless: Answering = (response, body) => {
      response.writeHead(200, { 'content-type': typeOf(body), 'content-length': 2 ** 31 });
      response.write(textOf(body).slice(0, 40));
      return pipeline(fill(), response).catch(() => undefined);
    };
    for (const place of entriesIn(places, { ofWhichAlways: 12 })) {
      written = 0;

      expect(await failingAt([place], endless, isBoundedFailure)).toEqual([]);
      expect(written, place.wire.name).toBeLessThan(64 * 1024 * 1024);
    }
  });

  it('costs at most its hold if it comes byte by byte until the time is over', async () => {
    const outOfTime = new AbortController();
    let bytes = 0;
    const dripping: Answering = async (response, body) => {
      response.writeHead(200, { 'content-type': typeOf(body) });
      for (const byte of Buffer.from(textOf(body) as string)) {
        if (response.destroyed) return;
        response.write(Buffer.of(byte));
        if ((bytes += 1) > 20 * places.length) abortBecause(outOfTime, 'out_of_time');
        await sleep(1);
      }
    };
    const outcomes = await Promise.all(places.map((place) => attackAt(place, dripping, outOfTime.signal)));

    expect(outcomes.filter(({ failure }) => failure).length).toBeGreaterThan(places.length / 2);
    expect(outcomes.filter(({ cost, held }) => cost.exceeds(held))).toEqual([]);
  });
});

describe('content that is no image', () => {
  it.each(['', '!!!', 'QUJD', Buffer.from(page).toString('base64'), `data:text/html;base64,QUJD`])(
    'is the failure of the provider, and free: %s',
    async (content) => {
      const disguised: Answering = (response, body) => {
        const text = 'sound' in body ? page : (textOf(body) as string).replaceAll(drawnImage, content);
        response.writeHead(200, { 'content-type': typeOf(body) }).end(text);
      };
      const drawn = places.filter(({ wire, step }) => 'image' in wire.target && step === 0);

      // Wires with jobs have their image in a later exchange.
      const outright = drawn.filter(({ wire }) => wire.bodies('').length === 1);
      expect(await failingAt(outright, disguised, isFreeFailure)).toEqual([]);
      const jobs = drawn.filter(({ wire }) => wire.bodies('').length > 1);
      const last = jobs.map(({ wire }) => ({ wire, step: wire.bodies('').length - 1 }));
      expect(await failingAt(last, disguised, isFreeFailure)).toEqual([]);
    },
  );
});

/** Invalid or unusual counts, as JSON. */
const counts = ['null', '-1', '-1e400', '0', '0.5', '1e15', '1e400', '9007199254740993', '"7"', '[]', '{}', 'true'];

/** Yields the answer with each number replaced, and each usage renamed or null, one at a time. */
function* miscounted(text: string): Generator<string> {
  for (const { 0: number, index } of text.matchAll(/(?<=[:[,])-?\d[\d.e+]*(?=[,}\]])/g)) {
    for (const count of counts) yield text.slice(0, index) + count + text.slice(index + number.length);
  }
  for (const { 0: name, index } of text.matchAll(/"\w*(?:usage|meta|details|units)\w*":/gi)) {
    yield `${text.slice(0, index)}"x":${text.slice(index + name.length)}`;
    yield `${text.slice(0, index)}${name}null,"x":${text.slice(index + name.length)}`;
  }
}

describe('absurd counts', () => {
  it('cost at most the hold over every wire, or are the failure of the provider', async () => {
    const documents = places.flatMap((place) => {
      const [body] = place.wire.bodies('http://x').slice(place.step);
      return 'sound' in body! || place.step > 0
        ? []
        : [...miscounted(String(textOf(body!)))].map((text) => ({ place, text }));
    });
    expect(documents.length).toBeGreaterThan(800);
    const faults: object[] = [];
    for (const { place, text } of entriesIn(documents, { ofWhichAlways: 200 })) {
      const answering: Answering = (response, body) =>
        response.writeHead(200, { 'content-type': typeOf(body) }).end(text);
      const outcome = await attackAt(place, answering);
      const isWell = outcome.failure ? isBoundedFailure(outcome) : !outcome.cost.exceeds(outcome.held);
      if (!isWell) faults.push({ wire: place.wire.name, text, failure: outcome.failure?.message });
    }

    expect(faults).toEqual([]);
  });
});
