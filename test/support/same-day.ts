import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../lambdas/money/periods.ts';

/**
 * Makes test files run within one UTC day, because many of them compare rows of yesterday and of today. A file that would
 * start in the last minute of a day waits until a few seconds after midnight, when the day before is closed.
 *
 * Weakness: a file that runs longer than a minute may still run past midnight.
 */
const LAST_MINUTE_MS = 60_000;
const CLOSED_AFTER_MS = 5_000;

const leftMs = DAY_MS - (Date.now() % DAY_MS);
if (leftMs < LAST_MINUTE_MS) await sleep(leftMs + CLOSED_AFTER_MS);
