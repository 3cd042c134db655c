import { describe, expect, it } from 'vitest';
import { pauseAfterSlice } from '../../lambdas/platform/concurrency/time-slices.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('work on the event loop', () => {
  it('pauses after a slice, until the loop has turned', async () => {
    let turned = false;
    setImmediate(() => (turned = true));
    void pauseAfterSlice();
    work(20);

    await pauseAfterSlice();

    expect(turned).toBe(true);
  });

  it('continues while its slice has time left', async () => {
    work(20);
    await pauseAfterSlice();

    expect([pauseAfterSlice(), pauseAfterSlice()]).toEqual([undefined, undefined]);
  });
});
