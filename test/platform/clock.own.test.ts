import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function clockWith(offset: string, more: Record<string, string> = {}) {
  vi.resetModules();
  for (const [name, value] of Object.entries({ [variables.clockOffsetMs]: offset, ...more })) vi.stubEnv(name, value);
  return import('../../lambdas/platform/clock.ts');
}

describe('the clock', () => {
  it('is that of the system', async () => {
    const { nowMs } = await clockWith('');
    expect(nowMs()).toBe(1_000_000);
  });

  it('has an offset on a laptop that sets one, and continues from there', async () => {
    const { nowMs } = await clockWith(String(-DAY_MS));
    const before = nowMs();
    vi.advanceTimersByTime(5);
    expect([before, nowMs()]).toEqual([1_000_000 - DAY_MS, 1_000_005 - DAY_MS]);
  });

  it.each(['tomorrow', '1.5', '1e30'])('does not start with an offset like %s', async (offset) => {
    const { nowMs } = await clockWith(offset);
    expect(() => nowMs()).toThrow(variables.clockOffsetMs);
  });

  it('has no offset in production, which is the default environment', async () => {
    const { nowMs } = await clockWith('1', { GATEWAY_LOCAL: '' });
    expect(() => nowMs()).toThrow('must not be set in production');
  });
});
