/**
 * Model of the requests per second that a deployment supports. It divides the limits of each part of AWS by the amount
 * that the code needs for one request. It uses arithmetic and the settlement simulation; no value was measured on AWS.
 */

import { queueWorkers } from '../../lambdas/routes.ts';
import {
  GENERATION_SHARDS,
  SPREAD_PARTITIONS,
  SWEEP_SHARDS,
  sweepPartitions,
} from '../../lambdas/store/generations/generation-key.ts';

/** Default quotas of AWS for a new account, and fixed limits of DynamoDB. */
const LAMBDA_EXECUTIONS = 1_000;
const API_REQUESTS = 10_000;
const NEW_TABLE_UNITS = 4_000;
const TABLE_UNITS = 40_000;
const PARTITION_UNITS = 1_000;

/** Partitions of a day of an account whose records are spread. */
const SPREAD_RECORD_PARTITIONS = GENERATION_SHARDS * SPREAD_PARTITIONS;

/**
 * Seconds that a worker needs for a batch without conflicts: the transaction, the network, and the worker's other steps
 * (settlement-simulation.ts).
 */
const BATCH_SECONDS = 0.0275;
/** Write units of the sweep index: a request is added to the index, and removed from it. */
const INDEX_UNITS = 2;

/**
 * Returns the write units of checkpoints after the first fifteen seconds. An answer of one second has one output step
 * and no checkpoint. An answer of fifteen seconds has a second step and two checkpoints, which are not counted here.
 * Each further ten seconds add a checkpoint.
 */
function checkpointUnits(seconds: number): number {
  return seconds < 15 ? 0 : 2 * Math.floor((seconds - 15) / 10);
}

/**
 * Returns the write units of a request: hold, checkpoints, settlement, and its share of counters (docs/figures.md,
 * docs/server.md).
 */
function writeUnits(seconds: number): number {
  return (seconds < 15 ? 9 : 22) + checkpointUnits(seconds);
}

/** Returns the write units of a request that its record needs. */
function recordUnits(seconds: number): number {
  return (seconds < 15 ? 5 : 12) + checkpointUnits(seconds);
}

interface Ceiling {
  of: string;
  /**
   * Returns the supported requests per second.
   * @param seconds duration of an answer
   * @param accounts number of accounts over which the requests are spread
   */
  perSecond: (seconds: number, accounts: number) => number;
  /** How an operator raises the limit. */
  raisedBy: string;
}

const { batchSize, maxConcurrency } = queueWorkers['finalize-cost'];

export const ceilings: readonly Ceiling[] = [
  {
    of: 'executions of Lambda at once',
    perSecond: (seconds) => LAMBDA_EXECUTIONS / seconds,
    raisedBy: 'Request a higher quota "Concurrent executions", or set `gateway:streamRuntime=web`.',
  },
  {
    of: 'writes of a new table',
    perSecond: (seconds) => NEW_TABLE_UNITS / writeUnits(seconds),
    raisedBy: 'Set `gateway:warmWriteUnits`, or wait for days of growing traffic.',
  },
  {
    of: 'writes of a grown table',
    perSecond: (seconds) => TABLE_UNITS / writeUnits(seconds),
    raisedBy: 'Request a higher quota "Table-level write throughput", and raise `gateway:maxWriteUnits`.',
  },
  {
    of: 'records of an account',
    perSecond: (seconds, accounts) => (accounts * GENERATION_SHARDS * PARTITION_UNITS) / recordUnits(seconds),
    raisedBy: 'Run `admin accounts spread-records`.',
  },
  {
    of: 'spread records of an account',
    perSecond: (seconds, accounts) => (accounts * SPREAD_RECORD_PARTITIONS * PARTITION_UNITS) / recordUnits(seconds),
    raisedBy: 'Use more accounts.',
  },
  {
    of: 'settlement',
    perSecond: () => (maxConcurrency * batchSize) / BATCH_SECONDS,
    raisedBy: 'Raise `maxConcurrency` of finalize-cost in `lambdas/routes.ts`.',
  },
  {
    of: 'sweep index',
    perSecond: () => (SWEEP_SHARDS * PARTITION_UNITS) / INDEX_UNITS,
    raisedBy: 'Run `admin accounts spread-records`.',
  },
  {
    of: 'sweep index, spread records',
    perSecond: () => (sweepPartitions.length * PARTITION_UNITS) / INDEX_UNITS,
    raisedBy: 'Add shards in `lambdas/store/generations/generation-key.ts`.',
  },
  {
    of: 'the API',
    perSecond: () => API_REQUESTS,
    raisedBy: 'Request a higher quota "Throttle rate", and raise `gateway:rateLimit`.',
  },
];

/** Rounds to two digits, because the model is not more exact than that. */
function rounded(perSecond: number): string {
  return Number(perSecond.toPrecision(2)).toLocaleString('en-US');
}

const SECONDS = [1, 15, 60];

/** Returns the rows of the table of docs/scale.md. */
export function ceilingRows(): string[][] {
  return ceilings.map(({ of, perSecond, raisedBy }) => [
    of,
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 1))),
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 10))),
    raisedBy,
  ]);
}

/**
 * Returns the resources that each rate of requests needs: executions, write units, settlement workers, and accounts
 * over which the rate is spread.
 */
export function needRows(): string[][] {
  return [1_000, 10_000].flatMap((rate) =>
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
