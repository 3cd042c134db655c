/**
 * Model of the requests per second that a deployment supports: the limits of AWS, divided by the amount that the code
 * needs for one request. No value was measured on AWS.
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

const SPREAD_RECORD_PARTITIONS = GENERATION_SHARDS * SPREAD_PARTITIONS;

/** Duration of a batch without conflicts: the transaction, the network, and the worker's other steps. */
const BATCH_SECONDS = 0.0275;
/** Write units of a request in the sweep index, to which it is added and from which it is removed. */
const INDEX_UNITS = 2;

/**
 * Returns the write units of the checkpoints of an answer: two units for every ten seconds after the first fifteen
 * seconds.
 */
function checkpointUnits(seconds: number): number {
  return seconds < 15 ? 0 : 2 * Math.floor((seconds - 15) / 10);
}

/**
 * Returns the write units of a request: hold, checkpoints, settlement, and a share of counters (docs/figures.md,
 * docs/server.md).
 */
function writeUnits(seconds: number): number {
  return (seconds < 15 ? 9 : 22) + checkpointUnits(seconds);
}

/** Write units of a request's record. */
function recordUnits(seconds: number): number {
  return (seconds < 15 ? 5 : 12) + checkpointUnits(seconds);
}

interface Ceiling {
  of: string;
  /**
   * Returns the requests per second up to the ceiling.
   * @param seconds duration of an answer
   * @param accounts accounts over which the requests are spread
   */
  perSecond: (seconds: number, accounts: number) => number;
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

/** Rounds a rate to two digits, because the model is not more exact. */
function rounded(perSecond: number): string {
  return Number(perSecond.toPrecision(2)).toLocaleString('en-US');
}

const SECONDS = [1, 15, 60];

/** Rows of docs/scale.md. */
export function ceilingRows(): string[][] {
  return ceilings.map(({ of, perSecond, raisedBy }) => [
    of,
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 1))),
    ...SECONDS.map((seconds) => rounded(perSecond(seconds, 10))),
    raisedBy,
  ]);
}

/** Executions, write units, settlement workers, and accounts that each rate needs. */
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
