import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import type { Settlement } from '../../lambdas/accounting/settlement.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { TableFault } from '../support/fault-proxy.ts';
import { faultyTable } from '../support/faulty-table.ts';
import {
  books,
  extendHold,
  finalCosts,
  holdRequest,
  newSpender,
  placeHold,
  rub,
  settledEverywhere,
  settlement,
} from '../support/spending.ts';
import { repeated } from '../support/long-runs.ts';

const { table, faulty, proxy } = await faultyTable();

/** Injects a fault into the first `count` writes. */
function failFirst(fault: TableFault, count: number): void {
  let left = count;
  proxy.faultFor = ({ action }) => (/Write|Put|Update/.test(action) && left-- > 0 ? fault : undefined);
}

describe.each(['conflict', 'throttle', 'lost-reply'] as const)('with a %s in the first attempts', (fault) => {
  it('a hold is placed once', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') }, workspace: { daily: rub('10') } });
    failFirst(fault, 2);
    await placeHold(faulty, holdRequest(spender, rub('1')));
    expect((await books(table, spender)).key.lifetime).toBe('0 of 1');
  });

  it('a hold without limits is recorded once', async () => {
    const spender = await newSpender(table, {});
    failFirst(fault, 2);
    await expect(placeHold(faulty, holdRequest(spender, rub('1')))).resolves.toMatchObject({ hold: { steps: 1 } });
  });

  it('an extension adds one step', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const placed = await placeHold(table, request);
    failFirst(fault, 2);
    expect(await extendHold(faulty, placed, request)).toMatchObject({ hold: { steps: 2 } });
    expect((await books(table, spender)).key.lifetime).toBe('0 of 2');
  });

  it('a settlement is counted once', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const { hold } = await placeHold(table, request);
    failFirst(fault, 2);
    await settleBatch(faulty, [settlement(request, hold, rub('0.3'))], { swept: false });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.3'));
  });

  it('a sweep settles once, and its correction is counted once', async () => {
    const spender = await newSpender(table, { key: { daily: rub('10') } });
    const request = holdRequest(spender, rub('1'));
    const { hold } = await placeHold(table, request);
    const real = settlement(request, hold, rub('0.3'));

    failFirst(fault, 2);
    await sweepHolds(faulty, { nowMs: Date.now() + 3_600_000, backlog: 'none' });
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.1'));

    failFirst(fault, 2);
    const [result] = await settleBatch(faulty, [real], { swept: false });
    expect(['corrected', 'duplicate']).toContain(result);
    expect((await books(table, spender)).key).toEqual(settledEverywhere('0.3'));
  });
});

describe('under any mix of faults, duplicates and order', () => {
  it('the sum of generations equals every counter, and no hold remains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ cost: fc.integer({ min: 0, max: 999_999 }), duplicates: fc.nat(2), dies: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.infiniteStream(
          fc.constantFrom<TableFault>('conflict', 'throttle', 'lost-reply', ...Array<TableFault>(9).fill(undefined)),
        ),
        async (requests, faults) => {
          const spender = await newSpender(table, { key: { daily: rub('1000') }, account: { lifetime: rub('1000') } });
          proxy.faultFor = () => faults.next().value as TableFault;

          const messages: Settlement[] = [];
          await Promise.all(
            requests.map(async ({ cost, duplicates, dies }) => {
              const request = holdRequest(spender, rub('1'));
              // A refusal because of a busy table is allowed; the client then retries with another generation.
              const placed = await placeHold(faulty, request).catch(() => undefined);
              if (!placed || dies) return;
              const message = settlement(request, placed.hold, Money.fromPico(BigInt(cost)));
              messages.push(...Array.from({ length: 1 + duplicates }, () => message));
            }),
          );
          messages.sort((a, b) => (a.generationId.at(-1)! < b.generationId.at(-1)! ? -1 : 1));
          // The queue delivers messages until they are settled.
          for (let start = 0; start < messages.length; start += 4) {
            let batch = messages.slice(start, start + 4);
            while (batch.length > 0) {
              const results = await settleBatch(faulty, batch, { swept: false });
              batch = batch.filter((_, index) => results[index] instanceof Error);
            }
          }
          proxy.faultFor = () => undefined;
          await sweepHolds(table, { nowMs: Date.now() + 3_600_000, backlog: 'none' });

          const total = (await finalCosts(table, spender)).toString();
          const all = await books(table, spender);
          for (const amounts of Object.values(all)) expect(amounts).toEqual(settledEverywhere(total));
        },
      ),
      { numRuns: repeated(15, { ofWhichAlways: 8 }) },
    );
  });
});
