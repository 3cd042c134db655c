import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RefusalLog } from '../../lambdas/admission/refusal-log.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';
import type { Refusal } from '../../lambdas/store/generations/refusals.ts';

const refusalOf = (keyHash: string): Refusal => ({
  id: newGenerationId(),
  payer: { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash },
  createdAtMs: 0,
  route: 'create-message',
  status: 402,
  kind: 'payment_required',
  field: undefined,
  limit: 'key_limit',
  amounts: undefined,
  model: 'm',
});

function refusalLog(write: (refusal: Refusal) => Promise<void> = async () => {}, others: (typeof write)[] = []) {
  const clock = { ms: 0 };
  const written: string[] = [];
  const log = new RefusalLog(
    [
      ...others,
      async (refusal) => {
        await write(refusal);
        written.push(refusal.payer.keyHash);
      },
    ],
    () => clock.ms,
  );
  return { clock, written, log };
}

describe('the record of refusals', () => {
  it('has ten per second for one key, which leaves room for other keys', async () => {
    const { clock, written, log } = refusalLog();
    for (let turn = 0; turn < 100; turn += 1) await log.note(refusalOf('loop'));
    await log.note(refusalOf('other'));
    expect(written).toEqual([...Array.from({ length: 10 }, () => 'loop'), 'other']);

    clock.ms += 1_000;
    await log.note(refusalOf('loop'));
    expect(written).toHaveLength(12);
  });

  it('has fifty per second for all keys', async () => {
    const { written, log } = refusalLog();
    for (let key = 0; key < 100; key += 1) await log.note(refusalOf(`key-${key}`));

    expect(written).toHaveLength(50);
  });

  it('is complete before the request ends, although another writer fails', async () => {
    const { written, log } = refusalLog(() => sleep(20), [() => Promise.reject(new Error('The queue is down'))]);

    await log.note(refusalOf('k'));

    expect(written).toEqual(['k']);
  });

  it('does not fail the request if the table is unavailable', async () => {
    const { written, log } = refusalLog(() => Promise.reject(new Error('away')));

    await expect(log.note(refusalOf('k'))).resolves.toBeUndefined();
    expect(written).toEqual([]);
  });
});
