import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, vi } from 'vitest';
import { documentsOf } from './documents.ts';
import { Money } from '../../lambdas/money/money.ts';
import { generationKey } from '../../lambdas/store/generations/generation-key.ts';
import type { WireUsage } from '../../lambdas/messages/types.ts';
import { openTable, type Item, type Table } from '../../lambdas/store/table/table.ts';
import { LocalState } from '../../lib/shared/data-directory/state.ts';
import { ask, MAX_TOKENS, replyOf, type Question, type Reply } from './messages-client.ts';
import type { WireName } from './dialects.ts';
import { CREDENTIAL, PRICES, writeHostileCatalog } from './hostile-catalog.ts';
import { get, startGateway, type RunningGateway } from './gateway.ts';
import { startHostileUpstream, type Behavior, type HostileUpstream } from './hostile-upstream.ts';
import { manage } from './manage.ts';
import { startOtherClient } from './other-client.ts';
import { PATIENCE_MS } from './patience.ts';

/** Gateway with hostile providers, and checks of its answers. */
export interface HostileGateway {
  gateway: RunningGateway;
  upstream: HostileUpstream;
  /** Sends a request, to which the provider responds with the attack, and checks the answer. */
  attack: (attack: Attack) => Promise<Aftermath>;
  /** Sends a request, disconnects during the answer, and waits until none of the limit is held. */
  abandon: (attack: Attack, leave: Promise<unknown>) => Promise<void>;
  expectAlive: () => Promise<void>;
  /** The gateway must answer, log no secrets, and have completed answers to other clients. */
  expectUnharmed: () => Promise<void>;
  /** A text may contain no part of the operator's credential and no address of a provider. */
  expectDiscreet: (text: string) => void;
  /** Error lines of the log with this message about this generation. */
  alarms: (message: string, { generation }: Aftermath) => object[];
  stop: () => Promise<void>;
}

export interface Attack extends Question {
  behavior: Behavior;
  /** Limit of the client's key; null means no limit. */
  limitRub?: number | null;
}

export interface Aftermath extends Reply {
  cost: Money;
  generation: Item;
}

const DEAREST_INPUT = Money.parse(PRICES.input_cache_write);
const COMPLETION = Money.parse(PRICES.completion);
/** Maximum number of tokens that a provider may add to a prompt with text of its own. */
const AROUND_PROMPT_TOKENS = 2_048;

export async function startHostileGateway(env: Record<string, string> = {}): Promise<HostileGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-hostile-'));
  const upstream = await startHostileUpstream();
  writeHostileCatalog(join(directory, 'catalog'), upstream.url);
  const gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', join(directory, 'catalog')],
    env: { ...env, HOSTILE_KEY: CREDENTIAL },
  });
  const run = LocalState.at(join(directory, 'data')).running()!;
  const table = openTable({ endpoint: run.dynamodb_endpoint, name: run.table_name });
  const otherClient = await startOtherClient(gateway, upstream);
  const expectDiscreet = (text: string) => {
    for (const secret of [...CREDENTIAL.split(':'), new URL(upstream.url).host]) expect(text).not.toContain(secret);
  };
  const expectAlive = async () => {
    const { exitCode, signalCode } = gateway.process;
    expect({ exitCode, signalCode }, gateway.log().slice(-2_000)).toEqual({ exitCode: null, signalCode: null });
    expect((await get(gateway, '/health')).status).toBe(200);
  };
  return {
    gateway,
    upstream,
    attack: async (attack) => {
      const client = await newClient(gateway, attack.limitRub === undefined ? 100 : attack.limitRub);
      let promptBytes = 0;
      let asked = 0;
      const marker = upstream.behaves((exchange) => {
        asked += 1;
        promptBytes = Math.max(promptBytes, Buffer.byteLength(exchange.body));
        return attack.behavior(exchange);
      });
      const reply = await replyOf(await ask(client, attack, marker));
      expect(asked, 'requests to the hostile provider').toBeGreaterThan(0);
      expectDiscreet(`${JSON.stringify([...reply.headers])}${reply.body}`);
      expectProvidersFault(reply);
      const generation = await finalItem(table, client, reply.headers.get('x-generation-id')!);
      const cost = Money.parseNumber(String(generation['total_cost_rub']));
      expectReportedAsBilled(reply, generation);
      await expectExactBooks(client, cost, boundOf(promptBytes, attack.maxTokens ?? MAX_TOKENS));
      return { ...reply, generation, cost };
    },
    abandon: async (attack, leave) => {
      const limitRub = attack.limitRub ?? 100;
      const client = await newClient(gateway, limitRub);
      const leaving = new AbortController();
      void leave.then(() => leaving.abort());
      const reading = ask(client, attack, upstream.behaves(attack.behavior), leaving.signal);
      await reading.then((response) => response.text()).catch(() => undefined);
      await untilNothingIsHeld(client);
    },
    expectAlive,
    expectUnharmed: async () => {
      await expectAlive();
      expect(gateway.log()).not.toMatch(/unhandled|uncaught|"request failed"|"function failed"/i);
      expectDiscreet(gateway.log());
      await otherClient.expectIntact();
    },
    expectDiscreet,
    alarms: (message, { generation }) =>
      gateway
        .log()
        .split('\n')
        .filter((line) => line.includes(`"${message}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ level, generationId }) => level === 'error' && generationId === generation['id']),
    stop: async () => {
      await gateway.stop();
      await upstream.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns a client with a new key. */
export async function newClient(gateway: RunningGateway, limitRub: number | null): Promise<RunningGateway> {
  const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'test', limit: limitRub });
  expect(status).toBe(201);
  return { ...gateway, key: (body as { key: string }).key };
}

async function finalItem(table: Table, { accountId }: RunningGateway, id: string): Promise<Item> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const read = new GetCommand({ TableName: table.name, Key: generationKey(accountId, id), ConsistentRead: true });
    const { Item: item } = await documentsOf(table).send(read);
    if (item?.['state'] === 'final') return item;
    if (performance.now() > deadline) throw new Error(`${id} is not settled: its hold was left behind`);
    await sleep(50);
  }
}

function boundOf(promptBytes: number, maxTokens: number): Money {
  return DEAREST_INPUT.times(promptBytes + AROUND_PROMPT_TOKENS).plus(COMPLETION.times(maxTokens));
}

/** An answer must be valid, or have an error that does not blame the gateway. */
function expectProvidersFault({ status, error, message, events, stopReason }: Reply): void {
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

/**
 * The client must get an error after which it may retry, and must pay for usage that the provider reported before the
 * failure.
 */
export function expectBrokenOff({ status, headers, error, generation }: Aftermath, wire: WireName): void {
  expect(error).toBeDefined();
  expect([502, 504, 529]).toContain(status);
  expect(headers.get('x-should-retry')).toBeNull();
  const [prompt, completion] = wire === 'anthropic' ? ['10', '1'] : ['0', '0'];
  expect(generation).toMatchObject({ estimated: false, tokens_prompt: prompt, tokens_completion: completion });
}

/** The counts in the last usage that the client receives must be the recorded counts. */
function expectReportedAsBilled({ message, events }: Reply, generation: Item): void {
  const ending = events.findLast((event) => event.type === 'message_delta');
  const told = (message?.['usage'] ?? ending?.usage) as WireUsage | undefined;
  if (!told) return;
  const [read, written] = [told.cache_read_input_tokens ?? 0, told.cache_creation_input_tokens ?? 0];
  const count = (name: string) => Number(generation[name] ?? 0);
  expect({
    prompt: (told.input_tokens ?? 0) + read + written,
    completion: told.output_tokens,
    read,
    written,
    thought: told.output_tokens_details?.thinking_tokens ?? 0,
  }).toEqual({
    prompt: count('tokens_prompt'),
    completion: count('tokens_completion'),
    read: count('native_tokens_cached'),
    written: count('cache_write_tokens') + count('cache_write_1h_tokens'),
    thought: count('native_tokens_reasoning'),
  });
}

/** The recorded cost was charged, exceeds neither the limit nor `bound`, and no money of the limit stays held. */
async function expectExactBooks(client: RunningGateway, cost: Money, bound: Money): Promise<void> {
  const { limit, limit_remaining: remaining, usage } = await spendingOf(client);
  expect(usage.toString()).toBe(cost.toString());
  if (limit) {
    expect(usage.exceeds(limit), `${usage} of ${limit}`).toBe(false);
    expect(remaining!.plus(usage).toString()).toBe(limit.toString());
  }
  expect(cost.exceeds(bound), `${cost} where ${bound} was allowed`).toBe(false);
}

async function untilNothingIsHeld(client: RunningGateway): Promise<void> {
  const heldOf = async () => {
    const { limit, limit_remaining: remaining, usage } = await spendingOf(client);
    return limit!.minus(remaining!).minus(usage).toString();
  };
  await vi.waitFor(async () => expect(await heldOf()).toBe('0'), { timeout: PATIENCE_MS, interval: 50 });
}

const exactly = (_key: string, value: unknown, { source }: { source: string }): unknown =>
  typeof value === 'number' ? Money.parseNumber(source) : value;

/** Returns the limit, the remaining amount and the usage of a key as exact `Money`. */
async function spendingOf(client: RunningGateway) {
  const json = await (await get(client, '/key')).text();
  const { data } = JSON.parse(json, exactly as Parameters<typeof JSON.parse>[1]) as {
    data: { limit: Money | null; limit_remaining: Money | null; usage: Money };
  };
  return data;
}
