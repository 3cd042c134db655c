import { beforeEach, describe, expect, it } from 'vitest';
import { RefusalMemory } from '../../lambdas/admission/refusal-memory.ts';
import type { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import type { Counter, Scope } from '../../lambdas/store/counters/counters.ts';
import { rub } from '../support/spending.ts';

const startMs = Date.UTC(2026, 10, 20, 12);
const windows = windowsAt(startMs);
const key: Scope = { kind: 'key', id: 'a', limits: { daily: rub('10') }, revision: 3 };

let memory: RefusalMemory;
beforeEach(() => {
  memory = new RefusalMemory();
});

const counter = (spent: string, committed = spent, scope = key): Counter => ({
  active: true,
  revision: scope.revision,
  limits: scope.limits,
  spent: () => rub(spent),
  committed: () => rub(committed),
});

/** Remembers that the store has refused a hold (by default of 2 RUB) several times, a millisecond apart. */
function refused(times: number, by: Counter, scope = key, amount: Money = rub('2')): void {
  for (let time = 0; time < times; time += 1) memory.remember(scope, windows, by, amount, startMs + time);
}

const recall = (more: { scope?: Scope; amount?: Money; afterMs?: number } = {}) =>
  memory.recall(more.scope ?? key, windows, more.amount ?? rub('2'), startMs + (more.afterMs ?? 10));

describe('a scope with a spent limit', () => {
  it('is refused from memory after three refusals within a second, with the same amounts', () => {
    refused(3, counter('9', '9.5'));
    const recalled = recall()!;
    expect([recalled.spent(windows.daily), recalled.committed(windows.daily)].map(String)).toEqual(['9', '9.5']);
    expect(recalled).toMatchObject({ revision: 3, limits: key.limits });
  });

  it('is read from the table after one or two refusals', () => {
    refused(2, counter('9'));
    expect(recall()).toBeUndefined();
  });

  it('is read from the table if refusals are more than a second apart', () => {
    for (const afterMs of [0, 1_000, 2_000, 3_000]) {
      memory.remember(key, windows, counter('9'), rub('2'), startMs + afterMs);
    }
    expect(recall({ afterMs: 3_001 })).toBeUndefined();
  });

  it('is read from the table again after a second, however often it was refused from memory', () => {
    refused(3, counter('9'));
    for (let afterMs = 3; afterMs < 1_002; afterMs += 100) expect(recall({ afterMs })).toBeDefined();
    expect(recall({ afterMs: 1_002 })).toBeUndefined();
  });

  it('is read from the table for a request that may still fit', () => {
    refused(3, counter('9'));
    expect(recall({ amount: rub('1') })).toBeUndefined();
    expect(recall({ amount: rub('1.000000000001') })).toBeDefined();
  });

  it('is read from the table after its limits have changed, or a window has ended', () => {
    refused(3, counter('9'));
    expect(recall({ scope: { ...key, revision: 4 } })).toBeUndefined();
    expect(memory.recall(key, windowsAt(startMs + 86_400_000), rub('2'), startMs + 10)).toBeUndefined();
  });

  it('does not refuse requests of another scope', () => {
    refused(3, counter('9'));
    expect(recall({ scope: { ...key, id: 'b' } })).toBeUndefined();
    expect(recall({ scope: { ...key, kind: 'workspace' } })).toBeUndefined();
  });

  it('is refused from memory also when its limit is 0 and the request is free', () => {
    const blocked: Scope = { ...key, limits: { lifetime: rub('0') } };
    refused(3, counter('0', '0', blocked), blocked, rub('0'));
    expect(recall({ scope: blocked, amount: rub('0') })).toBeDefined();
  });
});

describe('a scope with a limit that is held, but not spent', () => {
  it('is read from the table, because a settlement may make room at any moment', () => {
    refused(5, counter('1', '9.5'));
    expect(recall()).toBeUndefined();
  });
});

describe('the memory of refusals', () => {
  it('keeps the most recent scopes up to its size', () => {
    memory = new RefusalMemory(10);
    const scopes = Array.from({ length: 15 }, (_, index) => ({ ...key, id: `key ${index}` }));
    for (const scope of scopes) refused(3, counter('9'), scope);
    expect(scopes.map((scope) => recall({ scope }) !== undefined)).toEqual([
      ...Array<boolean>(5).fill(false),
      ...Array<boolean>(10).fill(true),
    ]);
  });
});

const isUsedUp = (afterMs: number, scope = key) => memory.isUsedUp(scope, windows, startMs + afterMs);

describe('a scope with no remaining amount', () => {
  it('is known for a minute after one refusal', () => {
    refused(1, counter('10'));

    expect([59_999, 60_000].map((afterMs) => isUsedUp(afterMs))).toEqual([true, false]);
  });

  it('is unknown if some amount remains, if its limit has changed, or before a refusal', () => {
    expect(isUsedUp(1)).toBe(false);
    refused(3, counter('9.99'));
    expect(isUsedUp(10)).toBe(false);
    refused(3, counter('10'));
    expect(isUsedUp(10, { ...key, limits: { daily: rub('20') }, revision: 4 })).toBe(false);
  });

  it('is known before any refusal if its limit is 0', () => {
    expect(isUsedUp(0, { ...key, limits: { daily: rub('0') } })).toBe(true);
  });
});
