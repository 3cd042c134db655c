import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Pricing } from '../catalog/schema.ts';
import type { Money } from '../money/money.ts';
import { utcDate } from '../money/periods.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { ScopeId, ScopeKind } from './counters.ts';
import {
  absentAttributes,
  emptyOutcome,
  outcomeAttributes,
  outcomeFrom,
  pricesAttribute,
  type Outcome,
} from './outcome.ts';
import { indexes, moneyAttribute, moneyFrom, numberFrom, type Item, type Table } from './table.ts';
import { isConditionFailure, retryConflicts, type TransactItems } from './transact.ts';

/**
 * One inference request, from admission (pending) to settlement (final). Its partition is (account, UTC day, shard), all
 * derivable from the caller and the id, so it is read and written by key, and a day can be read without an index.
 */
export const GENERATION_SHARDS = 8;
/** Partitions of the sweep index: pending generations spread over them, so no index partition runs hot. */
export const SWEEP_SHARDS = 16;

export const apiTypes = ['completions', 'decisions', 'video'] as const;
export type ApiType = (typeof apiTypes)[number];

/** Whose money a generation spends; the scopes in which it is counted follow from it. */
export interface Payer {
  accountId: string;
  workspaceId: string;
  memberId: string | undefined;
  keyHash: string;
}

/** The hold of a pending generation: how much, in how many steps, and in which scopes it is counted. */
export interface Hold {
  amount: Money;
  steps: number;
  scopes: ScopeKind[];
}

export interface PendingGeneration {
  id: string;
  payer: Payer;
  apiType: ApiType;
  model: string;
  modelPermaslug: string;
  endpointId: string;
  providerName: string;
  /** Prices of the endpoint that is tried first, frozen at admission. */
  pricing: Pricing;
  /** Names the files that the prices were read from. */
  catalogVersion: string;
  streamed: boolean;
  createdAtMs: number;
  hold: Hold;
  /** Charged when the handler dies before it could measure anything. */
  inputEstimate: { tokens: number; cost: Money };
  bootId: string;
  sweepAtMs: number;
}

export interface Generation {
  id: string;
  payer: Payer;
  apiType: ApiType;
  streamed: boolean;
  createdAt: string;
  state: 'pending' | 'final';
  hold: Hold;
  bootId: string | undefined;
  /** Final by the sweeper; the handler's own message would still correct it, once. */
  swept: boolean;
  inputEstimate: { tokens: number; cost: Money };
  /** The latest measurement of a pending generation, or the outcome of a final one. */
  outcome: Outcome | undefined;
  /** The measurement was the last one: only the message of the handler got lost. */
  complete: boolean;
}

/** @throws {RangeError} when the id is not a generation id. */
export function generationKey(accountId: string, id: string): { pk: string; sk: string } {
  const timeMs = generationTimeMs(id);
  if (timeMs === undefined) throw new RangeError('not a generation id');
  return { pk: generationPartition(accountId, utcDate(timeMs), shardOf(id)), sk: id };
}

export function generationPartition(accountId: string, date: string, shard: number): string {
  return `GENERATION#${accountId}#${date}#${shard}`;
}

/** The part of its day's partitions in which a generation is. */
export function shardOf(id: string): number {
  return Number.parseInt(id.at(-1)!, 16) % GENERATION_SHARDS;
}

function sweepShardOf(id: string): string {
  return `SWEEP#${Number.parseInt(id.at(-2)!, 16) % SWEEP_SHARDS}`;
}

/** The scopes in which a payer's spending is counted. */
export function scopesOf(payer: Payer): ScopeId[] {
  const scopes: ScopeId[] = [
    { kind: 'key', id: payer.keyHash },
    { kind: 'workspace', id: payer.workspaceId },
    { kind: 'account', id: payer.accountId },
  ];
  if (payer.memberId !== undefined) scopes.push({ kind: 'member', id: `${payer.workspaceId}/${payer.memberId}` });
  return scopes;
}

export function pendingItem(generation: PendingGeneration): Item {
  const { payer, hold } = generation;
  return {
    ...generationKey(payer.accountId, generation.id),
    [indexes.sweep.partition]: sweepShardOf(generation.id),
    [indexes.sweep.sort]: new Date(generation.sweepAtMs).toISOString(),
    entity: 'generation',
    state: 'pending',
    id: generation.id,
    account_id: payer.accountId,
    workspace_id: payer.workspaceId,
    member_id: payer.memberId,
    key_hash: payer.keyHash,
    api_type: generation.apiType,
    model: generation.model,
    model_permaslug: generation.modelPermaslug,
    endpoint_id: generation.endpointId,
    provider_name: generation.providerName,
    prices: pricesAttribute(generation.pricing),
    catalog_version: generation.catalogVersion,
    streamed: generation.streamed,
    created_at: new Date(generation.createdAtMs).toISOString(),
    hold_rub: moneyAttribute(hold.amount),
    hold_steps: hold.steps,
    held_scopes: hold.scopes,
    input_tokens_estimate: generation.inputEstimate.tokens,
    input_cost_estimate_rub: moneyAttribute(generation.inputEstimate.cost),
    boot_id: generation.bootId,
  };
}

/** Raises the hold of a pending generation from a known step to the next. */
export function extendHoldUpdate(
  table: Table,
  generation: { accountId: string; id: string },
  step: { from: number; amount: Money },
): NonNullable<TransactItems[number]['Update']> {
  return {
    TableName: table.name,
    Key: generationKey(generation.accountId, generation.id),
    UpdateExpression: 'ADD hold_rub :amount, hold_steps :one',
    ConditionExpression: '#state = :pending AND hold_steps = :from',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':amount': moneyAttribute(step.amount),
      ':one': 1,
      ':pending': 'pending',
      ':from': step.from,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/**
 * Notes the latest measurement on a pending generation. `sweepAtMs` set: nothing more will come, and the sweeper may
 * settle from this measurement at that time. Does nothing once the generation is final.
 */
export async function checkpoint(
  table: Table,
  generation: { accountId: string; id: string },
  outcome: Outcome,
  sweepAtMs?: number,
): Promise<void> {
  const values: Item = { ':pending': 'pending', ':checkpoint': outcomeAttributes(outcome) };
  if (sweepAtMs !== undefined) values[':sweep'] = new Date(sweepAtMs).toISOString();
  const update = new UpdateCommand({
    TableName: table.name,
    Key: generationKey(generation.accountId, generation.id),
    UpdateExpression: `SET #checkpoint = :checkpoint${sweepAtMs === undefined ? '' : ', sweep_at = :sweep, complete = :yes'}`,
    ConditionExpression: '#state = :pending',
    ExpressionAttributeNames: { '#state': 'state', '#checkpoint': 'checkpoint' },
    ExpressionAttributeValues: sweepAtMs === undefined ? values : { ...values, ':yes': true },
  });
  try {
    await retryConflicts(() => table.documents.send(update));
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
  }
}

/** How a generation becomes final: from pending with exactly this hold, or corrected after the sweeper's estimate. */
export type FinalTransition = { from: 'pending'; hold: Hold; swept: boolean } | { from: 'swept'; sweptCost: Money };

/** Attributes that only a pending generation needs. */
const whilePending = [
  'checkpoint',
  'complete',
  'boot_id',
  indexes.sweep.partition,
  indexes.sweep.sort,
  'input_tokens_estimate',
  'input_cost_estimate_rub',
];

export function finalUpdate(
  table: Table,
  generation: { accountId: string; id: string },
  outcome: Outcome,
  transition: FinalTransition,
  settledAtMs: number,
): NonNullable<TransactItems[number]['Update']> {
  const attributes: Item = {
    ...outcomeAttributes(outcome),
    state: 'final',
    swept: transition.from === 'pending' && transition.swept,
    settled_at: new Date(settledAtMs).toISOString(),
  };
  if (transition.from === 'swept')
    attributes['correction_rub'] = moneyAttribute(outcome.cost.minus(transition.sweptCost));
  const names: Record<string, string> = { '#state': 'state' };
  const values: Item = {};
  const removed = [...whilePending, ...absentAttributes(outcome)].map((name, index) => {
    names[`#r${index}`] = name;
    return `#r${index}`;
  });
  const assignments = Object.entries(attributes).map(([name, value], index) => {
    names[`#n${index}`] = name;
    values[`:v${index}`] = value;
    return `#n${index} = :v${index}`;
  });
  let condition: string;
  if (transition.from === 'pending') {
    condition = '#state = :pending AND hold_rub = :hold AND hold_steps = :steps';
    values[':pending'] = 'pending';
    values[':hold'] = moneyAttribute(transition.hold.amount);
    values[':steps'] = transition.hold.steps;
  } else {
    condition = '#state = :final AND swept = :yes AND total_cost_rub = :swept';
    values[':final'] = 'final';
    values[':yes'] = true;
    values[':swept'] = moneyAttribute(transition.sweptCost);
  }
  return {
    TableName: table.name,
    Key: generationKey(generation.accountId, generation.id),
    UpdateExpression: `SET ${assignments.join(', ')} REMOVE ${removed.join(', ')}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

export function generationFrom(item: Item): Generation {
  const final = item['state'] === 'final';
  const measured = (final ? item : item['checkpoint']) as Item | undefined;
  return {
    id: item['id'] as string,
    payer: {
      accountId: item['account_id'] as string,
      workspaceId: item['workspace_id'] as string,
      memberId: item['member_id'] as string | undefined,
      keyHash: item['key_hash'] as string,
    },
    apiType: item['api_type'] as ApiType,
    streamed: item['streamed'] === true,
    createdAt: item['created_at'] as string,
    state: final ? 'final' : 'pending',
    hold: {
      amount: moneyFrom(item['hold_rub']),
      steps: numberFrom(item['hold_steps']),
      scopes: item['held_scopes'] as ScopeKind[],
    },
    bootId: item['boot_id'] as string | undefined,
    swept: item['swept'] === true,
    inputEstimate: {
      tokens: numberFrom(item['input_tokens_estimate']),
      cost: moneyFrom(item['input_cost_estimate_rub']),
    },
    outcome: measured && outcomeFrom(measured),
    complete: item['complete'] === true,
  };
}

/**
 * The outcome of a generation that died before its first measurement: it is charged for its input, as far as that was
 * held; an estimate may be larger where nothing limits the key, and then nothing was held at all.
 */
export function unmeasuredOutcome(item: Item): Outcome {
  const { inputEstimate, hold } = generationFrom(item);
  const isLimited = hold.scopes.length > 0;
  const cost = isLimited && inputEstimate.cost.exceeds(hold.amount) ? hold.amount : inputEstimate.cost;
  const of = {
    model: item['model'] as string,
    modelPermaslug: item['model_permaslug'] as string,
    endpointId: item['endpoint_id'] as string,
    providerName: item['provider_name'] as string,
  };
  return { ...emptyOutcome(of), cost, promptTokens: inputEstimate.tokens, estimated: true };
}
