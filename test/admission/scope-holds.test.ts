/** Holds whose attempts all fail, the first without a reply. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetParts, rememberLimitedParts } from '../../lambdas/accounting/busy-counters.ts';
import type { HoldRequest } from '../../lambdas/admission/hold.ts';
import { holdInScopes } from '../../lambdas/admission/scope-holds.ts';
import { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { pendingPut } from '../../lambdas/store/generations/generation-writes.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { holdRequest, newSpender, rub } from '../support/spending.ts';

const { table, faulty, proxy } = await faultyTable();

afterEach(() => vi.restoreAllMocks());

async function newRequest(): Promise<HoldRequest> {
  return holdRequest(await newSpender(table, { key: { daily: rub('200') } }), rub('1'));
}

/**
 * Sends a hold.
 * @param isForCaller whether the caller handles a busy item
 */
function hold({ generation, amount, scopes }: HoldRequest, isForCaller?: (name: string) => boolean) {
  const hold = { amount, steps: 1, scopes: scopes.map(({ kind }) => kind), serviceHolds: [], rateHolds: [] };
  const record = pendingPut(faulty, { ...generation, hold });
  const scopeHold = { windows: windowsAt(generation.createdAtMs), amount };
  return holdInScopes(faulty, scopes, scopeHold, { record }, isForCaller);
}

/**
 * Makes the first transaction lose its reply, and later transactions conflict. `onCall` is called before each
 * transaction.
 */
function conflictAfterLostReply(onCall: (number: number) => void = () => {}): void {
  // Pauses between attempts take no time.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  let number = 0;
  proxy.faultFor = ({ action }) => {
    if (action !== 'TransactWriteItems') return undefined;
    number += 1;
    onCall(number);
    return number === 1 ? 'delayed' : 'conflict';
  };
}

describe('a hold whose first attempt had no reply', () => {
  it('is uncertain if all later attempts conflict', async () => {
    const request = await newRequest();
    conflictAfterLostReply();

    await expect(hold(request, () => false)).rejects.toMatchObject({ name: 'StoreBusyError', isUncertain: true });
  });

  it('is uncertain if the counter itself is busy at the last attempts', async () => {
    const request = await newRequest();
    const key = request.scopes.find(({ kind }) => kind === 'key')!;
    rememberLimitedParts(key, { spread: 'spread', grant: Money.zero });
    conflictAfterLostReply((number) => {
      if (number === 2) forgetParts(key);
    });

    await expect(hold(request)).rejects.toMatchObject({ name: 'StoreBusyError', isUncertain: true });
  });
});
