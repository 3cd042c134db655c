import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { returnIdleMemory } from '../../lambdas/server/idle-memory.ts';

const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the memory of a gateway after a burst', () => {
  it('is released once when no request has arrived for five seconds', () => {
    const collect = vi.fn();
    const memory = returnIdleMemory(() => false, { collect, heapBytes: () => 200 * MB });
    memory.touch();
    vi.advanceTimersByTime(4_000);
    memory.touch();
    vi.advanceTimersByTime(4_999);
    expect(collect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(collect).toHaveBeenCalledOnce();
  });

  it('is released after each burst', () => {
    const collect = vi.fn();
    const memory = returnIdleMemory(() => false, { collect, heapBytes: () => 200 * MB });
    for (let burst = 0; burst < 3; burst += 1) {
      memory.touch();
      vi.advanceTimersByTime(6_000);
    }
    expect(collect).toHaveBeenCalledTimes(3);
  });

  it('is kept if it is small', () => {
    const collect = vi.fn();
    returnIdleMemory(() => false, { collect, heapBytes: () => 60 * MB }).touch();
    vi.advanceTimersByTime(60_000);
    expect(collect).not.toHaveBeenCalled();
  });

  it('is released only after running answers have ended', () => {
    const collect = vi.fn();
    let isBusy = true;
    returnIdleMemory(() => isBusy, { collect, heapBytes: () => 200 * MB });
    vi.advanceTimersByTime(60_000);
    expect(collect).not.toHaveBeenCalled();
    isBusy = false;
    vi.advanceTimersByTime(5_000);
    expect(collect).toHaveBeenCalledOnce();
  });

  it('is smaller after its release', () => {
    vi.useRealTimers();
    vi.useFakeTimers();
    let ballast: number[][] | undefined = Array.from({ length: 200 }, () =>
      Array.from({ length: 100_000 }, Math.random),
    );
    const before = process.memoryUsage().heapTotal;
    const memory = returnIdleMemory(() => false);
    memory.touch();
    expect(ballast).toHaveLength(200);
    ballast = undefined;
    vi.advanceTimersByTime(6_000);
    expect(process.memoryUsage().heapTotal).toBeLessThan(before - 50 * MB);
  });
});
