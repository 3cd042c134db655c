/**
 * What a deployment takes in a second: what each part of AWS takes, divided by what the code asks of it for one request. Arithmetic, and the
 * settlement simulation; nothing of it was measured on AWS.
 */

import { queueWorkers } from '../../lambdas/routes.ts';
import {
  GENERATION_SHARDS,
  SPREAD_PARTITIONS,
  SWEEP_SHARDS,
  sweepPartitions,
} from '../../lambdas/store/generations/generation-key.ts';

/** Quotas of AWS for an account that has asked for nothing, and what DynamoDB never gives more of. */
const LAMBDA_EXECUTIONS = 1_000;
const API_REQUESTS = 10_000;
const NEW_TABLE_UNITS = 4_000;
const TABLE_UNITS = 40_000;
const PARTITION_UNITS = 1_000;

/** Partitions of a day of an account whose records are spread. */
const SPREAD_RECORD_PARTITIONS = GENERATION_SHARDS * SPREAD_PARTITIONS;

/** So long a worker takes for a batch without conflicts: the transaction, its way, and what it does besides (settlement-simulation.ts). */
const BATCH_SECONDS = 0.0275;
/** A request enters the index of the sweep, and leaves it. */
const INDEX_UNITS = 2;

/** An answer of a second has one output step and no checkpoint; one of fifteen a second step and two checkpoints, and each ten seconds one more. */
function checkpointUnits(seconds: number): number {
  return seconds < 15 ? 0 : 2 * Math.floor((seconds - 15) / 10);
}

/** Write units of a request: hold, checkpoints, settlement, and its share of counters (docs/figures.md, docs/server.md). */
function writeUnits(seconds: number): number {
  return (seconds < 15 ? 9 : 22) + checkpointUnits(seconds);
}

/** The part of them that goes to its record. */
function recordUnits(seconds: number): number {
  return (seconds < 15 ? 5 : 12) + checkpointUnits(seconds);
}

interface Ceiling {
  of: string;
  /** Requests a second. @param seconds that an answer takes @param accounts that they are spread over */
  perSecond: (seconds: number, accounts: number) => number;
  /** What makes it higher. */
  raisedBy: string;
}

const { batchSize, maxConcurrency } = queueWorkers['finalize-cost'];

export const ceilings: readonly Ceiling[] = [
  {
    of: 'executions of Lambda at once',
    perSecond: (seconds) => LAMBDA_EXECUTIONS / seconds,
    raisedBy: 'the quota "Concurrent executions", or `gateway:streamRuntime=web`',
  },
  {
    of: 'a new table',
    perSecond: (seconds) => NEW_TABLE_UNITS / writeUnits(seconds),
    raisedBy: '`gateway:warmWriteUnits`, or days of growing traffic',
  },
  {
    of: 'the table',
    perSecond: (seconds) => TABLE_UNITS / writeUnits(seconds),
    raisedBy: 'the quota "Table-level write throughput", and `gateway:maxWriteUnits`',
  },
  {
    of: 'records of an account',
    perSecond: (seconds, accounts) => (accounts * GENERATION_SHARDS * PARTITION_UNITS) / recordUnits(seconds),
    raisedBy: '`admin accounts spread-records`',
  },
  {
    of: 'the same, spread',
    perSecond: (seconds, accounts) => (accounts * SPREAD_RECORD_PARTITIONS * PARTITION_UNITS) / recordUnits(seconds),
    raisedBy: 'more accounts',
  },
  {
    of: 'settlement',
    perSecond: () => (maxConcurrency * batchSize) / BATCH_SECONDS,
    raisedBy: '`maxConcurrency` of finalize-cost in `lambdas/routes.ts`',
  },
  {
    of: 'index of the sweep',
    perSecond: () => (SWEEP_SHARDS * PARTITION_UNITS) / INDEX_UNITS,
    raisedBy: '`admin accounts spread-records`',
  },
  {
    of: 'the same of spread records',
    perSecond: () => (sweepPartitions.length * PARTITION_UNITS) / INDEX_UNITS,
    raisedBy: 'more shards in `lambdas/store/generations/generation-key.ts`',
  },
  { of: 'the API', perSecond: () => API_REQUESTS, raisedBy: 'the quota "Throttle rate", and `gateway:rateLimit`' },
];

/** Two digits say all that arithmetic knows. */
function rounded(perSecond: number): string {
  return Number(perSecond.toPrecision(2)).toLocaleString('en-US');
}

const SECONDS = [1, 15, 60];

/** The rows of the table of docs/scale.md. */
export function ceilingRows(): string[][] {
  return ceilings.map(({ of, perSecond, raisedBy }) => [
    of,
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 1))),
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 10))),
    raisedBy,
  ]);
}

/** What to have for a rate: executions, write units, workers of settlement, and accounts that it is spread over. */
export function needRows(): string[][] {
  return [100, 1_000, 10_000].flatMap((rate) =>
    SECONDS.map((seconds) => [
      rate.toLocaleString('en-US'),
      String(seconds),
      (rate * seconds).toLocaleString('en-US'),
      (rate * writeUnits(seconds)).toLocaleString('en-US'),
      String(Math.max(2, Math.ceil((rate * BATCH_SECONDS) / batchSize))),
      String(Math.ceil((rate * recordUnits(seconds)) / (SPREAD_RECORD_PARTITIONS * PARTITION_UNITS))),
    ]),
  );
}
