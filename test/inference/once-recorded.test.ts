import { describe, expect, it, vi } from 'vitest';
import { onceRecorded } from '../../lambdas/inference/messages/once-recorded.ts';
import type { Dispatched } from '../../lambdas/inference/messages/dispatch.ts';

function begunAnswer() {
  const ended = vi.fn(async () => ({ done: true, value: undefined }) as const);
  const batches = { next: () => new Promise<never>(() => {}), return: ended } as unknown as Dispatched['batches'];
  return { ended, dispatched: Promise.resolve({ index: 0, batches }) };
}

/** A record that is being written, and the release of its hold if the write fails. */
function recordUnderWay() {
  const [record, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  release.promise.catch(() => undefined);
  return { record, release, admitted: { recording: record.promise, recorded: release.promise } };
}

/** Waits for work that needs no further input. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('an answer with a pending record', () => {
  it('continues after the record is written', async () => {
    const { ended, dispatched } = begunAnswer();
    const { record, release, admitted } = recordUnderWay();
    const abort = new AbortController();
    let isThere = false;
    const answer = onceRecorded(dispatched, admitted, abort).finally(() => (isThere = true));

    await settled();
    expect(isThere).toBe(false);
    record.resolve();
    release.resolve();

    expect(await answer).toBe(await dispatched);
    expect([abort.signal.aborted, ended.mock.calls.length]).toEqual([false, 0]);
  });

  it('stops its provider at once if the record is lost, and fails after the hold is released', async () => {
    const { ended, dispatched } = begunAnswer();
    const { record, release, admitted } = recordUnderWay();
    const abort = new AbortController();
    let isOver = false;
    const answer = onceRecorded(dispatched, admitted, abort).finally(() => (isOver = true));
    answer.catch(() => undefined);

    record.reject(new Error('lost'));
    await settled();
    expect([abort.signal.aborted, abort.signal.reason, isOver]).toEqual([true, 'ended', false]);
    release.reject(new Error('lost and released'));

    await expect(answer).rejects.toThrow('lost and released');
    expect(ended).toHaveBeenCalledOnce();
  });

  it('is unchanged without a pending write', async () => {
    const { dispatched } = begunAnswer();

    expect(await onceRecorded(dispatched, {}, new AbortController())).toBe(await dispatched);
  });
});
