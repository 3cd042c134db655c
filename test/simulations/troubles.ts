/** Kinds of failures of an endpoint. */

import type { Scenario } from './health-simulation.ts';

type Fails = Scenario['fails'];

export const TROUBLE_BEGINS_MS = 60_000;
export const TROUBLE_ENDS_MS = 150_000;
/** Duration of a run, with two minutes of recovery. */
export const RUN_MS = 270_000;

function during(trouble: Fails): Fails {
  return (atMs, chance) => atMs >= TROUBLE_BEGINS_MS && atMs < TROUBLE_ENDS_MS && trouble(atMs, chance);
}

export const failsHalf = () => during((_, chance) => chance < 0.5);

export const failsAll = () => during(() => true);

export function failsEverySecond(): Fails {
  let attempts = 0;
  return during(() => {
    attempts += 1;
    return attempts % 2 === 1;
  });
}

/** Fails all attempts for fifteen seconds, then none for fifteen seconds, and so on. */
export const flaps = () => during((atMs) => Math.floor(atMs / 15_000) % 2 === 0);

export const failsOnceInAThousand = (): Fails => (_, chance) => chance < 0.001;
