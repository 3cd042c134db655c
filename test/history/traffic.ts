/** Clients that send requests at random times, to every address at which the gateway may answer. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomerKey } from './customers.ts';
import { randomRequest, type HistoryRequest } from './requests.ts';
import type { ReportedCost } from './reported-costs.ts';

type Random = () => number;

const MAX_AT_ONCE = 120;
const ANSWER_TIMEOUT_MS = 90_000;
/** Share of requests to the functions, and share of the server's requests that go to servers of earlier starts. */
const TO_FUNCTIONS = 0.1;
const TO_EARLIER = 0.15;
/** Time in ms in which the last responses may complete before the clients disconnect. */
const LAST_ANSWERS_MS = 20_000;
/** Number of times that a request with an Idempotency-Key is sent. */
const REPEATS = 3;
/** Factors of the configured load, one of which is chosen every few seconds. */
const LOADS = [0.3, 1, 1, 1.7] as const;
const LOAD_MS = 8_000;

/** End of a complete stream. */
const WHOLE_STREAM = /event: message_stop|data: \[DONE\]|event: response\.(?:completed|incomplete)/;

export class Traffic {
  readonly reported: ReportedCost[] = [];
  /** Number of requests by kind, and status or failure. */
  readonly seen: Record<string, number> = {};
  requests = 0;
  #isOn = false;
  #leaving = new AbortController();
  #underWay = 0;
  #factor = 1;
  #urls = { functions: '', streaming: '', server: undefined as string | undefined };
  #earlier: string[] = [];
  readonly #keys: readonly CustomerKey[];
  readonly #random: Random;
  readonly #perSecond: number;

  constructor(terms: { keys: readonly CustomerKey[]; random: Random; perSecond: number }) {
    this.#keys = terms.keys;
    this.#random = terms.random;
    this.#perSecond = terms.perSecond;
  }

  /** Sends most requests to this start of the gateway from now on, and some to servers of earlier starts. */
  movedTo(urls: { base_url: string; streaming_url: string; web_url?: string }): void {
    if (this.#urls.server !== undefined) this.#earlier = [this.#urls.server, ...this.#earlier].slice(0, 3);
    this.#urls = {
      functions: urls.base_url,
      streaming: `${urls.streaming_url.replace(/\/$/, '')}/v1`,
      server: urls.web_url,
    };
  }

  begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#leaving = new AbortController();
    void this.#arrive();
    void this.#changeLoad();
  }

  /** Starts no further clients. Resolves when none is running. */
  async end(): Promise<void> {
    this.#isOn = false;
    const leaving = this.#leaving;
    const timer = setTimeout(() => leaving.abort(), LAST_ANSWERS_MS);
    while (this.#underWay > 0) await sleep(50);
    clearTimeout(timer);
  }

  async #arrive(): Promise<void> {
    while (this.#isOn) {
      await sleep((-Math.log(1 - this.#random()) * 1_000) / (this.#perSecond * this.#factor));
      if (this.#isOn && this.#underWay < MAX_AT_ONCE) void this.#client();
    }
  }

  async #changeLoad(): Promise<void> {
    while (this.#isOn) {
      this.#factor = LOADS[Math.floor(this.#random() * LOADS.length)]!;
      await sleep(LOAD_MS);
    }
  }

  async #client(): Promise<void> {
    const request = randomRequest(this.#random);
    const key = this.#anyKey();
    const idempotencyKey = request.hasIdempotencyKey ? randomUUID() : undefined;
    this.#underWay += 1;
    try {
      for (let turn = 0; turn < (idempotencyKey ? REPEATS : 1); turn += 1) {
        const status = await this.#ask(request, key, idempotencyKey);
        this.#count(`${request.kind}: ${status}`);
        if (idempotencyKey && this.#random() < 0.5) await sleep(this.#random() * 400);
      }
    } finally {
      this.#underWay -= 1;
    }
  }

  async #ask(request: HistoryRequest, key: CustomerKey, idempotencyKey: string | undefined): Promise<string> {
    const base = this.#anyUrl(request);
    this.requests += 1;
    const leaving = new AbortController();
    let status = 'no answer';
    try {
      const response = await fetch(`${base}${request.path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key.secret}`,
          'content-type': 'application/json',
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
          ...(request.tags === undefined ? {} : { 'x-gateway-tags': request.tags }),
        },
        body: JSON.stringify(request.body),
        signal: AbortSignal.any([leaving.signal, this.#leaving.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      status = String(response.status);
      if (request.leavesAfterMs !== undefined) setTimeout(() => leaving.abort(), request.leavesAfterMs).unref();
      const text = await response.text();
      return this.#note(request, { response, text, idempotencyKey });
    } catch (error) {
      if (leaving.signal.aborted || this.#leaving.signal.aborted) return `${status}, left`;
      if (isRefusedConnection(error)) this.#earlier = this.#earlier.filter((url) => url !== base);
      return status === 'no answer' ? status : `${status}, cut`;
    }
  }

  #note(
    { kind }: HistoryRequest,
    { response, text, idempotencyKey }: { response: Response; text: string; idempotencyKey: string | undefined },
  ): string {
    const status = String(response.status);
    const generationId = response.headers.get('x-generation-id');
    if (response.status >= 300 || generationId === null) return status;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const isWhole = !isStream || WHOLE_STREAM.test(text);
    const cost = isWhole ? [...text.matchAll(/"cost":(-?[\d.]+(?:e[+-]?\d+)?)/gi)].at(-1)?.[1] : undefined;
    this.reported.push({ generationId, kind, cost, readAtMs: Date.now(), idempotencyKey });
    return isWhole ? status : `${status}, not whole`;
  }

  #anyKey(): CustomerKey {
    let place = this.#random() * this.#keys.reduce((sum, { weight }) => sum + weight, 0);
    return this.#keys.find(({ weight }) => (place -= weight) < 0) ?? this.#keys[0]!;
  }

  /** Returns an address for a request. The function URL has only the route for streamed messages. */
  #anyUrl({ path, isStreamed }: HistoryRequest): string {
    const { functions, streaming, server } = this.#urls;
    if (server !== undefined && this.#random() >= TO_FUNCTIONS) {
      const isEarlier = this.#earlier.length > 0 && this.#random() < TO_EARLIER;
      return isEarlier ? this.#earlier[Math.floor(this.#random() * this.#earlier.length)]! : server;
    }
    return isStreamed && path === '/messages' && this.#random() < 0.5 ? streaming : functions;
  }

  #count(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';
}
