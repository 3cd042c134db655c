import { describe, expect, it } from 'vitest';
import {
  isHeldByOthers,
  isHeldOnly,
  outOfMoneyError,
  refusalError,
  roomOf,
  shortenedError,
} from '../../lambdas/admission/refusal.ts';
import type { NoRoom } from '../../lambdas/admission/no-room.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { StoreBusyError } from '../../lambdas/store/table/transact.ts';
import type { ScopeKind } from '../../lambdas/store/counters/counters.ts';
import type { Limits } from '../../lambdas/store/counters/limits.ts';
import { rub } from '../support/spending.ts';

/** This day is a Friday. */
const atMs = Date.UTC(2026, 10, 20, 12);
const windows = windowsAt(atMs);

function noRoom(
  limits: Limits,
  more: { spent?: string; held?: string; amount?: string; kind?: ScopeKind } = {},
): NoRoom {
  const { spent = '0', held = '0', amount = '2', kind = 'key' } = more;
  return {
    kind: 'no_room',
    scope: { kind, id: 'x', limits, revision: 0 },
    counter: {
      active: true,
      revision: 0,
      limits,
      spent: () => rub(spent),
      committed: () => rub(spent).plus(rub(held)),
    },
    windows,
    amount: rub(amount),
  };
}

const refusal = (of: NoRoom, more: object = {}) => refusalError(of, { atMs, ...more });

describe('the room of a scope', () => {
  it('is the remaining amount with holds, and without them', () => {
    const room = roomOf(noRoom({ daily: rub('10') }, { spent: '6', held: '3' }));

    expect(Object.fromEntries(Object.entries(room).map(([name, value]) => [name, String(value)]))).toEqual({
      interval: 'daily',
      limit: '10',
      spent: '6',
      held: '3',
      left: '1',
      leftWithoutHolds: '4',
    });
  });

  it('is that of its tightest limit, and never below zero', () => {
    const { left, leftWithoutHolds } = roomOf(
      noRoom({ daily: rub('5'), monthly: rub('10') }, { spent: '4', held: '3' }),
    );

    expect([left, leftWithoutHolds].map(String)).toEqual(['0', '1']);
  });

  it('is that of the broadest limit that refuses', () => {
    expect(roomOf(noRoom({ daily: rub('1'), monthly: rub('1') })).interval).toBe('monthly');
    expect(roomOf(noRoom({ daily: rub('1'), lifetime: rub('100') })).interval).toBe('daily');
  });
});

describe('waiting for held money', () => {
  it.each([
    ['may help if holds are in the way', { spent: '1', held: '9' }, true],
    ['does not help a request above the remaining limit', { spent: '9', held: '1' }, false],
    ['does not help if the limit is spent', { spent: '10', amount: '0' }, false],
  ])('%s', (_what, of, helps) => {
    expect(isHeldOnly(noRoom({ daily: rub('10') }, of))).toBe(helps);
  });

  it('makes sense only for amounts held by other requests', () => {
    const refused = noRoom({ daily: rub('10') }, { held: '5' });

    expect([isHeldByOthers(refused, rub('4.9')), isHeldByOthers(refused, rub('5'))]).toEqual([true, false]);
  });
});

describe('a refusal for lack of money', () => {
  it('has the amounts that a person needs, in its message and in its metadata', () => {
    const error = refusal(noRoom({ daily: rub('10') }, { spent: '9', amount: '3' }), {
      inputAmount: rub('0.5'),
      isPromptCounted: true,
    });

    expect(error).toMatchObject({ status: 402, kind: 'payment_required', headers: {} });
    expect(error.message).toBe(
      'To begin, this request needs 3 RUB (at most 0.5 for its prompt, and 2.5 for its answer or the first part of it; the ' +
        'unused part is released), and the limit of this key (10 RUB daily) has 1 RUB left. You can raise the limit of the key, or wait until ' +
        '2026-11-21T00:00:00.000Z.',
    );
    expect(error.metadata).toEqual({
      limit_source: 'key_limit',
      interval: 'daily',
      limit_rub: '10',
      spend_rub: '9',
      held_rub: '0',
      remaining_rub: '1',
      required_rub: '3',
      required_input_rub: '0.5',
      required_output_rub: '2.5',
      prompt_counted: true,
      resets_at: '2026-11-21T00:00:00.000Z',
    });
  });

  it('states that the amount is a bound, without an amount for the prompt, if the prompt was not counted', () => {
    const error = refusal(noRoom({ lifetime: rub('0') }, { amount: '3' }), { inputAmount: rub('0.5') });

    expect(error.message).toBe(
      'To begin, this request needs at most 3 RUB (its prompt was not counted; the unused part is released), and the limit of ' +
        'this key is 0 RUB. You can raise the limit of the key.',
    );
    expect(error.metadata).toMatchObject({ required_rub: '3', prompt_counted: false });
  });

  it.each<[ScopeKind, string, string]>([
    ['key', 'key_limit', 'raise the limit of the key'],
    ['workspace', 'workspace_budget', 'raise the budget of the workspace'],
    ['member', 'member_budget', 'raise the budget of the member'],
    ['account', 'account_balance', 'top up the account'],
  ])('of a %s names it as %s, with the remedy: %s', (kind, source, remedy) => {
    const error = refusal(noRoom({ lifetime: rub('1') }, { kind }));

    expect(error.metadata['limit_source']).toBe(source);
    expect(error.message).toContain(remedy);
  });

  it.each([
    ['weekly', '2026-11-23T00:00:00.000Z'],
    ['monthly', '2026-12-01T00:00:00.000Z'],
    ['lifetime', null],
  ])('of a %s limit has the time of its reset: %s', (interval, resetsAt) => {
    expect(refusal(noRoom({ [interval]: rub('1') })).metadata['resets_at']).toBe(resetsAt);
  });

  it('advises a shorter answer if it would fit into the remaining amount', () => {
    const error = refusal(noRoom({ daily: rub('10') }, { spent: '9' }), { affordableTokens: 400 });

    expect(error.message).toContain('lower max_tokens to 400, or raise');
    expect(error.metadata['affordable_max_tokens']).toBe(400);
  });

  it('permits a retry if only requests in flight are in the way', () => {
    const error = refusal(noRoom({ daily: rub('10') }, { spent: '1', held: '8' }));

    expect(error.headers).toEqual({ 'retry-after': '3', 'x-should-retry': 'true' });
    expect(error.message).toContain('wait for the requests in flight, which hold 8 RUB');
  });
});

describe('any other refusal of a hold', () => {
  const request = { atMs };

  it('is a 401 if the key was disabled', () => {
    expect(refusalError({ kind: 'switched_off', scope: 'key' }, request)).toMatchObject({ status: 401 });
  });

  it('is a timeout if the generation was settled by the sweep', () => {
    expect(refusalError({ kind: 'settled' }, request)).toMatchObject({ status: 504 });
  });

  it('is the error of a busy table', () => {
    const cause = new StoreBusyError();

    expect(refusalError({ kind: 'busy', cause }, request)).toBe(cause);
    expect(outOfMoneyError({ kind: 'busy', cause }, atMs)).toBe(cause);
  });

  it('is masked if the cause is unknown', () => {
    const error = refusalError({ kind: 'busy', cause: new Error('secret') }, request);
    expect(error.status).toBe(500);
    expect(error.message).not.toContain('secret');
  });

  it('is a 408 if the client has disconnected', () => {
    expect(refusalError({ kind: 'client_left' }, request)).toMatchObject({ status: 408 });
  });
});

describe('an answer that ends for lack of money', () => {
  it('has the remedy for a longer answer', () => {
    const error = outOfMoneyError(noRoom({ monthly: rub('10') }, { spent: '9' }), atMs);

    expect(error.status).toBe(402);
    expect(error.message).toBe(
      'The answer ends here: the limit of this key (10 RUB monthly) has no room for more tokens. You can raise the limit of ' +
        'the key, or wait until 2026-12-01T00:00:00.000Z.',
    );
    expect(error.metadata).toMatchObject({ limit_rub: '10', spend_rub: '9', interval: 'monthly' });
  });

  it('has the remedy if it was shortened in advance', () => {
    const error = shortenedError({
      refusal: noRoom({ lifetime: rub('10') }, { kind: 'workspace' }),
      maxTokens: 4_096,
    });

    expect(error.message).toContain('limited to 4096 tokens, thinking included: the budget of the workspace (10 RUB)');
    expect(error.metadata).toEqual({
      limit_source: 'workspace_budget',
      interval: 'lifetime',
      limit_rub: '10',
      allowed_max_tokens: 4_096,
    });
  });
});
