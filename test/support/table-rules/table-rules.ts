/**
 * Rules of DynamoDB that emulators do not have: concurrent transactions on the same item conflict, a partition key has
 * limited throughput, and any request may be rejected, fail or lose its reply.
 *
 * If a batch writes an item that a transaction has locked, the write is returned in UnprocessedItems, because DynamoDB
 * documents no other result.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { withFailedConditions } from './condition-checks.ts';
import { itemBytes, readUnits, type Consistency, type ItemJson } from './item-units.ts';
import { KnownItems } from './known-items.ts';
import { RandomFaults, type Fate, type FaultShares } from './random-faults.ts';
import {
  conflictReason,
  internalServerError,
  noReason,
  provisionedReason,
  provisionedThroughputExceeded,
  throttling,
  throttlingReason,
  transactionCanceled,
  transactionConflict,
  transactionInProgress,
  type CancellationReason,
  type Refusal,
} from './refusals.ts';
import {
  batchedItemWrite,
  isSingleWrite,
  itemActionNames,
  partitionName,
  queriedPartition,
  textOf,
  writesOfRequest,
  type BatchedWrite,
  type ItemWrite,
  type RequestBody,
  type TableRequest,
} from './requests.ts';
import { PartitionUnits, partitionRates, type UnitRates } from './throughput.ts';

export interface RulesOptions {
  /** A transaction locks its items for this time, in addition to the emulator's time. */
  transactionMs?: number;
  /** Units per second of a partition key; default: DynamoDB's limits; undefined: unlimited. */
  rates?: UnitRates | undefined;
  faults?: Partial<FaultShares>;
  seed?: number;
  nowMs?: () => number;
}

export interface Reply {
  status: number;
  body: Record<string, unknown>;
}

export type Emulator = (action: string, body: object) => Promise<Reply>;

const DEFAULT_TRANSACTION_MS = 8;
/** Delay of a late call, whose client was disconnected. */
const LATE_MS = [2, 60] as const;
/** DynamoDB remembers the client request token of a transaction for this time. */
const TOKEN_MS = 600_000;
const MAX_TOKENS = 100_000;
const MAX_SHARED = 100_000;

export class TableRules {
  /** Enforced refusals and injected faults, by name. */
  readonly imposed: Record<string, number> = {};
  readonly #emulator: Emulator;
  readonly #transactionMs: number;
  #faults: RandomFaults;
  readonly #nowMs: () => number;
  readonly #units: Record<keyof UnitRates, PartitionUnits>;
  readonly #known = new KnownItems();
  /** Items that running transactions have locked, and the number of other running writes of each item. */
  readonly #locked = new Set<string>();
  readonly #written = new Map<string, number>();
  /** Items that were part of any transaction; single calls to other items cannot conflict. */
  readonly #shared = new Set<string>();
  readonly #tokensUnderWay = new Set<string>();
  /** Completion times by token. */
  readonly #tokens = new Map<string, number>();
  readonly #late = new Set<Promise<unknown>>();

  constructor(emulator: Emulator, options: RulesOptions = {}) {
    const { transactionMs = DEFAULT_TRANSACTION_MS, faults = {}, seed = 1, nowMs = () => performance.now() } = options;
    const rates = 'rates' in options ? options.rates : partitionRates;
    this.#emulator = emulator;
    this.#transactionMs = transactionMs;
    this.#faults = new RandomFaults(faults, seed);
    this.#nowMs = nowMs;
    const unitsOf = (kind: keyof UnitRates) => new PartitionUnits(rates?.[kind] ?? Infinity, nowMs);
    this.#units = { write: unitsOf('write'), read: unitsOf('read') };
  }

  /** Runs a call under the rules; undefined if the connection must be cut. */
  async answer(request: TableRequest): Promise<Reply | undefined> {
    if (!itemActionNames.has(request.action)) return this.#emulator(request.action, request.body);
    const fate = this.#faults.next();
    switch (fate) {
      case 'cut-before':
        return this.#impose('lost request', undefined);
      case 'error-before':
        return this.#impose('lost request', internalServerError);
      case 'late':
        this.#carryOutLater(request);
        return this.#impose('lost reply', undefined);
      case 'cut-after':
        await this.#carryOut(request);
        return this.#impose('lost reply', undefined);
      case 'error-after':
        await this.#carryOut(request);
        return this.#impose('lost reply', internalServerError);
      default:
        return this.#carryOut(request, fate);
    }
  }

  suffer(faults: Partial<FaultShares>, seed = 1): void {
    this.#faults = new RandomFaults(faults, seed);
  }

  get isTransacting(): boolean {
    return this.#locked.size > 0;
  }

  async whenQuiet(): Promise<void> {
    while (this.#late.size > 0) await Promise.all(this.#late);
  }

  #carryOutLater(request: TableRequest): void {
    const done = sleep(this.#faults.between(...LATE_MS))
      .then(() => this.#carryOut(request))
      .catch(() => undefined)
      .finally(() => this.#late.delete(done));
    this.#late.add(done);
  }

  #carryOut(request: TableRequest, fate?: Fate): Promise<Reply> {
    if (request.action === 'TransactWriteItems') return this.#transactWrite(request, fate);
    if (request.action === 'TransactGetItems') return this.#transactGet(request, fate);
    if (isSingleWrite(request.action)) return this.#writeAlone(request, fate);
    if (request.action === 'BatchWriteItem') return this.#writeBatch(request, fate);
    if (request.action === 'BatchGetItem') return this.#readBatch(request, fate);
    return this.#read(request, fate);
  }

  async #transactWrite(request: TableRequest, fate?: Fate): Promise<Reply> {
    const { ClientRequestToken: token } = request.body;
    if (token !== undefined && this.#tokensUnderWay.has(token)) {
      return this.#impose('in progress', transactionInProgress);
    }
    const writes = writesOfRequest(request);
    // DynamoDB returns the first response for a known token, which cannot be a conflict.
    const isKnown = token !== undefined && this.#isAlive(token);
    const refusal = await (isKnown ? this.#refuseCall(writes, fate) : this.#refuseTransaction(writes, fate));
    if (refusal) return refusal;
    if (isKnown) return this.#emulator(request.action, request.body);
    if (token !== undefined) this.#tokensUnderWay.add(token);
    for (const { item } of writes) {
      this.#locked.add(item);
      this.#share(item);
    }
    try {
      await sleep(this.#transactionMs);
      const reply = await this.#emulator(request.action, this.#withoutForgotten(request.body));
      const isDone = reply.status === 200;
      if (isDone && token !== undefined) this.#rememberToken(token);
      for (const write of writes) this.#takeWriteUnits(write, { isTransaction: true, isDone });
      return reply;
    } finally {
      for (const { item } of writes) this.#locked.delete(item);
      if (token !== undefined) this.#tokensUnderWay.delete(token);
    }
  }

  /** Returns an error for the whole call if the call is to be throttled; otherwise undefined. */
  #refuseCall([first]: ItemWrite[], fate: Fate | undefined): Reply | undefined {
    if (fate !== 'throttle') return undefined;
    const of = { table: first?.table ?? '', operation: 'Write' } as const;
    return this.#impose('throttle', this.#faults.oneOf([throttling(of), provisionedThroughputExceeded(of)]));
  }

  async #refuseTransaction(writes: ItemWrite[], fate: Fate | undefined): Promise<Reply | undefined> {
    if (fate === 'throttle' && this.#faults.oneOf([true, false])) return this.#refuseCall(writes, fate);
    const met = fate === 'conflict' ? this.#meetings(writes) : [];
    const throttled = fate === 'throttle' ? this.#faults.someOf(writes.length) : [];
    const throttledReason =
      fate === 'throttle' ? this.#faults.oneOf([throttlingReason, provisionedReason]) : throttlingReason;
    const reasons = writes.map((write, index): CancellationReason => {
      if (this.#locked.has(write.item) || met[index]) return conflictReason;
      return throttled[index] || !this.#hasRoom(write) ? throttledReason : noReason;
    });
    if (reasons.every(({ Code: code }) => code === 'None')) return undefined;
    this.#count(reasons.includes(conflictReason) ? 'conflict' : 'throttle');
    return transactionCanceled(await withFailedConditions(writes, reasons, (checks) => this.#failedChecks(checks)));
  }

  async #failedChecks(checks: object[]): Promise<CancellationReason[] | undefined> {
    const { body } = await this.#emulator('TransactWriteItems', { TransactItems: checks });
    return body['CancellationReasons'] as CancellationReason[] | undefined;
  }

  async #transactGet(request: TableRequest, fate?: Fate): Promise<Reply> {
    const reads = writesOfRequest(request);
    const met = fate === 'conflict' ? this.#faults.someOf(reads.length) : [];
    const reasons = reads.map(({ item, partition }, index) => {
      if (met[index] || this.#locked.has(item) || this.#written.has(item)) return conflictReason;
      return fate === 'throttle' || !this.#units.read.hasRoom(partition) ? throttlingReason : noReason;
    });
    if (reasons.some(({ Code: code }) => code !== 'None')) {
      return this.#impose(reasons.includes(conflictReason) ? 'conflict' : 'throttle', transactionCanceled(reasons));
    }
    const reply = await this.#emulator(request.action, request.body);
    for (const { item, partition } of reads) this.#takeReadUnits(partition, this.#known.bytesOf(item), 'transaction');
    return reply;
  }

  async #writeAlone(request: TableRequest, fate?: Fate): Promise<Reply> {
    const [write] = writesOfRequest(request) as [ItemWrite];
    const of = { table: write.table, operation: 'Write' } as const;
    const meets = fate === 'conflict' && this.#shared.has(write.item);
    if (this.#locked.has(write.item) || meets) return this.#impose('conflict', transactionConflict);
    if (fate === 'throttle') {
      return this.#impose('throttle', this.#faults.oneOf([throttling(of), provisionedThroughputExceeded(of)]));
    }
    if (!this.#hasRoom(write)) return this.#impose('throttle', throttling(of));
    return this.#whileWriting([write], async () => {
      const reply = await this.#emulator(request.action, request.body);
      this.#takeWriteUnits(write, { isTransaction: false, isDone: reply.status === 200 });
      return reply;
    });
  }

  async #writeBatch(request: TableRequest, fate?: Fate): Promise<Reply> {
    const all = Object.entries(request.body.RequestItems as Record<string, BatchedWrite[]>).flatMap(
      ([table, requests]) => requests.map((one) => ({ table, one, write: batchedItemWrite(table, one) })),
    );
    const met = fate === 'conflict' ? this.#meetings(all.map(({ write }) => write)) : [];
    const chosen = fate === 'throttle' ? this.#faults.someOf(all.length) : [];
    const isMet = all.map(({ write }, index) => met[index] || this.#locked.has(write.item));
    const isUndone = all.map(({ write }, index) => isMet[index] || chosen[index] || !this.#hasRoom(write));
    const undone = all.filter((_, index) => isUndone[index]);
    const todo = all.filter((_, index) => !isUndone[index]);
    if (undone.length > 0) this.#count('unprocessed');
    if (todo.length === 0) {
      if (isMet.some(Boolean)) return { status: 200, body: { UnprocessedItems: byTable(undone) } };
      return provisionedThroughputExceeded({ table: undone[0]?.table ?? '', operation: 'Write' });
    }
    const writes = todo.map(({ write }) => write);
    const reply = await this.#whileWriting(writes, () =>
      this.#emulator(request.action, { ...request.body, RequestItems: byTable(todo) }),
    );
    for (const write of writes) this.#takeWriteUnits(write, { isTransaction: false, isDone: reply.status === 200 });
    if (reply.status !== 200 || undone.length === 0) return reply;
    const left = Object.entries((reply.body['UnprocessedItems'] ?? {}) as Record<string, BatchedWrite[]>).flatMap(
      ([table, requests]) => requests.map((one) => ({ table, one })),
    );
    return { ...reply, body: { ...reply.body, UnprocessedItems: byTable([...left, ...undone]) } };
  }

  async #readBatch(request: TableRequest, fate?: Fate): Promise<Reply> {
    type Keys = { Keys: ItemJson[]; ConsistentRead?: boolean };
    const asked = request.body.RequestItems as Record<string, Keys>;
    const [todo, undone]: [Record<string, Keys>, Record<string, Keys>] = [{}, {}];
    for (const [table, keys] of Object.entries(asked)) {
      const chosen = fate === 'throttle' ? this.#faults.someOf(keys.Keys.length) : [];
      const isUndone = keys.Keys.map(
        (key, index) => chosen[index] || !this.#units.read.hasRoom(partitionName(table, textOf(key['pk']))),
      );
      const [left, read] = [true, false].map((is) => keys.Keys.filter((_, index) => (isUndone[index] ?? false) === is));
      if (read!.length > 0) todo[table] = { ...keys, Keys: read! };
      if (left!.length > 0) undone[table] = { ...keys, Keys: left! };
    }
    const isPartial = Object.keys(undone).length > 0;
    if (isPartial) this.#count('unprocessed');
    if (Object.keys(todo).length === 0) {
      return provisionedThroughputExceeded({ table: Object.keys(asked)[0] ?? '', operation: 'Read' });
    }
    const reply = await this.#emulator(request.action, { ...request.body, RequestItems: todo });
    if (reply.status !== 200) return reply;
    const found = (reply.body['Responses'] ?? {}) as Record<string, ItemJson[]>;
    for (const [table, items] of Object.entries(found)) for (const item of items) this.#known.see(table, item);
    for (const [table, { Keys: keys, ConsistentRead: isStrong }] of Object.entries(todo)) {
      for (const key of keys) this.#takeReadUnitsOf(table, key, isStrong);
    }
    return isPartial ? { ...reply, body: { ...reply.body, UnprocessedKeys: undone } } : reply;
  }

  async #read({ action, body }: TableRequest, fate?: Fate): Promise<Reply> {
    const table = body.TableName!;
    const partition = action === 'Query' ? queriedPartition(body) : partitionName(table, textOf(body.Key?.['pk']));
    const of = { table, operation: 'Read' } as const;
    if (fate === 'throttle') {
      return this.#impose('throttle', this.#faults.oneOf([throttling(of), provisionedThroughputExceeded(of)]));
    }
    if (action !== 'Scan' && !this.#units.read.hasRoom(partition)) return this.#impose('throttle', throttling(of));
    const reply = await this.#emulator(action, body);
    if (reply.status !== 200) return reply;
    const items = (reply.body['Items'] ?? (reply.body['Item'] ? [reply.body['Item']] : [])) as ItemJson[];
    // With a projection or an index, the reply may contain only parts of items.
    const isWhole = body.IndexName === undefined && !('ProjectionExpression' in body);
    if (isWhole) for (const item of items) this.#known.see(table, item);
    const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
    if (action !== 'Scan') this.#takeReadUnits(partition, bytes, body.ConsistentRead ? 'strong' : 'eventual');
    return reply;
  }

  /** Counts the running writes of these items, because a transactional read of items that are being written fails. */
  async #whileWriting<Result>(writes: ItemWrite[], write: () => Promise<Result>): Promise<Result> {
    for (const { item } of writes) this.#written.set(item, (this.#written.get(item) ?? 0) + 1);
    try {
      return await write();
    } finally {
      for (const { item } of writes) {
        const left = this.#written.get(item)! - 1;
        if (left > 0) this.#written.set(item, left);
        else this.#written.delete(item);
      }
    }
  }

  #share(item: string): void {
    this.#shared.delete(item);
    this.#shared.add(item);
    if (this.#shared.size > MAX_SHARED) this.#shared.delete(this.#shared.values().next().value!);
  }

  /** Chooses at random which items conflict; an item that was in no other transaction does not. */
  #meetings(writes: ItemWrite[]): boolean[] {
    const shared = writes.flatMap(({ item }, index) => (this.#shared.has(item) ? [index] : []));
    const chosen = this.#faults.someOf(shared.length);
    const met = new Set(shared.filter((_, place) => chosen[place]));
    return writes.map((_, index) => met.has(index));
  }

  #hasRoom(write: ItemWrite): boolean {
    return this.#known.partitionsOf(write).every((partition) => this.#units.write.hasRoom(partition));
  }

  #takeWriteUnits(write: ItemWrite, how: { isTransaction: boolean; isDone: boolean }): void {
    for (const [partition, units] of this.#known.unitsOf(write, how)) this.#units.write.take(partition, units);
  }

  #takeReadUnitsOf(table: string, key: ItemJson, isStrong: boolean | undefined): void {
    const partition = partitionName(table, textOf(key['pk']));
    const bytes = this.#known.bytesOf(`${table}\n${textOf(key['pk'])}\n${textOf(key['sk'])}`);
    this.#takeReadUnits(partition, bytes, isStrong ? 'strong' : 'eventual');
  }

  #takeReadUnits(partition: string, bytes: number, consistency: Consistency): void {
    this.#units.read.take(partition, readUnits(bytes, consistency));
  }

  #isAlive(token: string): boolean {
    const doneAtMs = this.#tokens.get(token);
    return doneAtMs !== undefined && this.#nowMs() - doneAtMs < TOKEN_MS;
  }

  /** Removes a token that DynamoDB would have forgotten. The emulator may remember tokens longer. */
  #withoutForgotten(body: RequestBody): RequestBody {
    const { ClientRequestToken: token, ...others } = body;
    return token !== undefined && this.#tokens.has(token) ? others : body;
  }

  #rememberToken(token: string): void {
    this.#tokens.set(token, this.#nowMs());
    if (this.#tokens.size > MAX_TOKENS) this.#tokens.delete(this.#tokens.keys().next().value!);
  }

  #impose<Answer extends Reply | Refusal | undefined>(rule: string, answer: Answer): Answer {
    this.#count(rule);
    return answer;
  }

  #count(rule: string): void {
    this.imposed[rule] = (this.imposed[rule] ?? 0) + 1;
  }
}

function byTable(requests: { table: string; one: BatchedWrite }[]): Record<string, BatchedWrite[]> {
  const tables = Map.groupBy(requests, ({ table }) => table);
  return Object.fromEntries([...tables].map(([table, all]) => [table, all.map(({ one }) => one)]));
}
