import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { Money } from '../../lambdas/money/money.ts';
import { generationKey } from '../../lambdas/store/generations.ts';
import { openTable, type Item, type Table } from '../../lambdas/store/table.ts';
import { LocalState } from '../../lib/local/state.ts';
import type { WireName } from './dialects.ts';
import { get, startGateway, type RunningGateway } from './gateway.ts';
import { SOUND_PATH, startHostileUpstream, type Behaviour, type HostileUpstream } from './hostile-upstream.ts';
import { manage } from './manage.ts';
import { startWitness } from './witness.ts';

/** A gateway whose providers are hostile, and what has to hold for every answer whatever a provider does. */
export interface HostileGateway {
  gateway: RunningGateway;
  upstream: HostileUpstream;
  /** Asks one question that the provider answers as told, and checks what has to hold for every answer. */
  attack: (attack: Attack) => Promise<Aftermath>;
  /** Says whether the gateway came through: alive, silent about secrets, and other answers untouched. */
  expectUnharmed: () => Promise<void>;
  /** Error lines of the gateway's log with this message, about this generation. */
  alarms: (message: string, { generation }: Aftermath) => object[];
  /** Resident memory of the gateway's process. */
  residentMb: () => number;
  stop: () => Promise<void>;
}

export interface Attack {
  wire: WireName;
  behaviour: Behaviour;
  stream?: boolean;
  /** The model has a second endpoint, which is sound. */
  fallback?: boolean;
  /** The model's provider signs thinking by itself (Anthropic wire). */
  signing?: boolean;
  maxTokens?: number;
  limitRub?: number;
  /** How long the client waits for the whole answer. */
  patienceMs?: number;
}

/** What the client got, and what was recorded. */
export interface Aftermath {
  status: number;
  headers: Headers;
  body: string;
  /** The body of an answer that was not streamed. */
  message: Record<string, unknown> | undefined;
  events: MessagesEvent[];
  error: ClientError | undefined;
  text: string;
  stopReason: unknown;
  cost: Money;
  generation: Item;
}

export interface ClientError {
  type: string;
  code: number;
  message: string;
  metadata: Record<string, unknown>;
}

export const CREDENTIAL = 'evil-7f3a91c2d4e6b8';
export const PRICES = {
  prompt: '0.0001',
  completion: '0.01',
  input_cache_read: '0.00001',
  input_cache_write: '0.0002',
};
const DEAREST_INPUT = Money.parse(PRICES.input_cache_write);
const COMPLETION = Money.parse(PRICES.completion);
/** What a bound may add to the bytes of a prompt, for what providers put around it. */
const AROUND_PROMPT_TOKENS = 2_048;
const MAX_TOKENS = 200;
const SETTLED_WITHIN_MS = 8_000;

export async function startHostileGateway(): Promise<HostileGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-hostile-'));
  const upstream = await startHostileUpstream();
  writeHostileCatalog(join(directory, 'catalog'), upstream.url);
  const gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', join(directory, 'catalog')],
    env: { HOSTILE_KEY: CREDENTIAL },
  });
  const run = LocalState.at(join(directory, 'data')).running()!;
  const table = openTable({ endpoint: run.dynamodb_endpoint, name: run.table_name });
  const witness = await startWitness(gateway, upstream);
  const authority = new URL(upstream.url).host;
  return {
    gateway,
    upstream,
    attack: async (attack) => {
      const client = await newClient(gateway, attack.limitRub ?? 100);
      let promptBytes = 0;
      const marker = upstream.behaves((exchange) => {
        promptBytes = Math.max(promptBytes, Buffer.byteLength(exchange.body));
        return attack.behaviour(exchange);
      });
      const reply = await ask(client, attack, marker);
      const generation = await finalItem(table, client, reply.headers.get('x-generation-id')!);
      const aftermath = { ...reply, generation, cost: Money.parseNumber(String(generation['total_cost_rub'])) };
      const bound = boundOf(promptBytes, attack.maxTokens ?? MAX_TOKENS);
      expectDiscreet(`${JSON.stringify([...reply.headers])}${reply.body}`, authority);
      expectProvidersFault(aftermath);
      await expectExactBooks(client, aftermath, bound);
      return aftermath;
    },
    expectUnharmed: async () => {
      const { exitCode, signalCode } = gateway.process;
      expect({ exitCode, signalCode }, gateway.log().slice(-2_000)).toEqual({ exitCode: null, signalCode: null });
      expect(gateway.log()).not.toMatch(/unhandled|uncaught|"request failed"|"function failed"/i);
      expectDiscreet(gateway.log(), authority);
      await witness.expectIntact();
    },
    alarms: (message, { generation }) =>
      gateway
        .log()
        .split('\n')
        .filter((line) => line.includes(`"${message}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ level, generationId }) => level === 'error' && generationId === generation['id']),
    residentMb: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8'))![1]) / 1024,
    stop: async () => {
      await gateway.stop();
      await upstream.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A key of its own, so that its books are those of one request. */
export async function newClient(gateway: RunningGateway, limitRub: number): Promise<RunningGateway> {
  const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'test', limit: limitRub });
  expect(status).toBe(201);
  return { ...gateway, key: (body as { key: string }).key };
}

export const modelOf = ({ wire, fallback, signing }: Pick<Attack, 'wire' | 'fallback' | 'signing'>): string =>
  `evil/${wire === 'anthropic' ? 'claude' : 'gpt'}${fallback ? '-fb' : ''}${signing ? '-signing' : ''}`;

async function ask(client: RunningGateway, attack: Attack, marker: string) {
  const response = await fetch(`${client.baseUrl}/messages`, {
    method: 'POST',
    signal: AbortSignal.timeout(attack.patienceMs ?? 12_000),
    headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(attack),
      max_tokens: attack.maxTokens ?? MAX_TOKENS,
      stream: attack.stream ?? false,
      messages: [{ role: 'user', content: `Hello! ${marker}` }],
    }),
  });
  const body = await response.text();
  const { status, headers } = response;
  if (!headers.get('content-type')!.startsWith('text/event-stream')) {
    const json = JSON.parse(body) as Record<string, unknown>;
    const message = status === 200 ? json : undefined;
    const error = json['error'] as ClientError | undefined;
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

async function finalItem(table: Table, { accountId }: RunningGateway, id: string): Promise<Item> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const read = new GetCommand({ TableName: table.name, Key: generationKey(accountId, id), ConsistentRead: true });
    const { Item: item } = await table.documents.send(read);
    if (item?.['state'] === 'final') return item;
    if (performance.now() > deadline) throw new Error(`${id} is not settled: its hold was left behind`);
    await sleep(50);
  }
}

function boundOf(promptBytes: number, maxTokens: number): Money {
  return DEAREST_INPUT.times(promptBytes + AROUND_PROMPT_TOKENS).plus(COMPLETION.times(maxTokens));
}

/** Neither what the operator pays with nor where providers stand is anybody else's to know. */
function expectDiscreet(text: string, authority: string): void {
  expect(text).not.toContain(CREDENTIAL);
  expect(text).not.toContain(authority);
}

/** What a provider does wrong is told as its failure; what is told as an answer is one. */
function expectProvidersFault({ status, error, message, events, stopReason }: Aftermath): void {
  expect([200, 400, 413, 429, 502, 504, 529]).toContain(status);
  if (error) {
    expect([400, 413, 429, 502, 504, 529], error.message).toContain(error.code);
    expect(error.metadata['error_type']).not.toBe('server');
    expect(typeof error.message === 'string' && !error.message.includes('[object')).toBe(true);
  } else if (message) {
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: expect.any(String) });
  } else {
    const types = events.map(({ type }) => type).filter((type) => type !== 'ping');
    expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop']);
    expect(stopReason).toEqual(expect.any(String));
    const begun = new Set(events.map((event) => event.type === 'content_block_start' && event.index));
    expect(events.filter((event) => event.type === 'content_block_delta' && !begun.has(event.index))).toEqual([]);
  }
}

/** Nothing stays held, what was recorded is what was charged, and it is within the limit and the hold. */
async function expectExactBooks(client: RunningGateway, { cost }: Aftermath, bound: Money): Promise<void> {
  const info = await (await get(client, '/key')).text();
  const { limit, limit_remaining: remaining, usage } = exactNumbers(info).data;
  expect(usage.toString()).toBe(cost.toString());
  expect(remaining.plus(usage).toString()).toBe(limit.toString());
  expect(usage.exceeds(limit), `${usage} of ${limit}`).toBe(false);
  expect(cost.exceeds(bound), `${cost} where ${bound} was allowed`).toBe(false);
}

/** What GET /key says, with every number as it is written. */
function exactNumbers(json: string) {
  const exactly = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? Money.parseNumber(source) : value;
  return JSON.parse(json, exactly as Parameters<typeof JSON.parse>[1]) as {
    data: { limit: Money; limit_remaining: Money; usage: Money };
  };
}

function writeHostileCatalog(directory: string, url: string): void {
  mkdirSync(join(directory, 'models'), { recursive: true });
  const provider = (id: string, wire: WireName, baseUrl: string) => ({
    id,
    name: id,
    wire,
    base_url: baseUrl,
    credential: 'HOSTILE_KEY',
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    timeouts: { connect_ms: 2_000, first_byte_ms: 3_000, idle_ms: 4_000 },
    quirks: wire === 'anthropic' ? { count_tokens: true } : { stream_usage: true },
  });
  const providers = [
    provider('evil-claude', 'anthropic', url),
    provider('evil-gpt', 'openai-chat', url),
    provider('sound-claude', 'anthropic', `${url}${SOUND_PATH}`),
    provider('sound-gpt', 'openai-chat', `${url}${SOUND_PATH}`),
  ];
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  const endpoint = (provider: string, quirks?: object) => ({
    id: provider,
    provider,
    upstream_model: 'm',
    max_output_tokens: 100_000,
    pricing: PRICES,
    ...(quirks ? { quirks } : {}),
  });
  const model = (id: string, endpoints: object[]) => ({
    id,
    permaslug: `${id}-1`,
    name: id,
    created: '2026-11-20',
    context_length: 200_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: endpoints.map((each, index) => ({ ...each, id: `${id}/${index}` })),
  });
  const models = [
    model('evil/claude', [endpoint('evil-claude')]),
    model('evil/gpt', [endpoint('evil-gpt')]),
    model('evil/claude-fb', [endpoint('evil-claude'), endpoint('sound-claude')]),
    model('evil/gpt-fb', [endpoint('evil-gpt'), endpoint('sound-gpt')]),
    model('evil/claude-signing', [endpoint('evil-claude', { own_signatures: true })]),
  ];
  writeFileSync(join(directory, 'models', 'evil.json'), JSON.stringify({ models }));
}
