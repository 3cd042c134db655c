import { describe, expect, it } from 'vitest';
import { openFreeCapacity } from '../../lambdas/admission/free/free-capacity.ts';
import type { BudgetPartSums } from '../../lambdas/store/counters/service-budgets.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { rub } from '../support/spending.ts';

const model = loadShippedCatalog().find('sandbox/gpt:free')!.data;
const NOON = Date.parse('2026-11-20T12:00:00Z');

/** Returns the sums of the eight parts of the model's budget of 1000 RUB. Each part has this committed amount. */
const parts = (committed: string): BudgetPartSums[] =>
  Array.from({ length: 8 }, (_, part) => ({ model: model.id, part, spent: rub('0'), committed: rub(committed) }));

async function isLimited(sums: BudgetPartSums[], laterMs = 0): Promise<boolean> {
  let nowMs = NOON;
  const capacity = openFreeCapacity(
    async () => sums,
    () => nowMs,
  );
  await capacity.refresh();
  nowMs += laterMs;
  return capacity.isLimited(model);
}

describe('the capacity limit of a free model', () => {
  it.each([
    ['is reached when no part of its budget has room for the largest request', parts('120'), true],
    ['is not reached while each part of its budget has room', parts('100'), false],
    [
      'is not reached while one part of its budget has room',
      [...parts('125').slice(1), ...parts('0').slice(0, 1)],
      false,
    ],
    ['is not reached while nothing was held', [], false],
    [
      'is not reached by the spending of another model',
      parts('125').map((sums) => ({ ...sums, model: 'test/other:free' })),
      false,
    ],
  ])('%s', async (_, sums, expected) => {
    expect(await isLimited(sums)).toBe(expected);
  });

  it('is not reached by sums that were read a minute ago, or yesterday', async () => {
    expect(await isLimited(parts('125'), 59_000)).toBe(true);
    expect(await isLimited(parts('125'), 60_000)).toBe(false);
    expect(await isLimited(parts('125'), 12 * 3_600_000)).toBe(false);
  });

  it('is not reached before the sums are read', async () => {
    const capacity = openFreeCapacity(
      () => Promise.reject(new Error('The table is away')),
      () => NOON,
    );
    await capacity.refresh();

    expect(capacity.isLimited(model)).toBe(false);
  });
});
