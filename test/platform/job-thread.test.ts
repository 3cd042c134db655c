import { describe, expect, it } from 'vitest';
import { JobThread } from '../../lambdas/platform/job-thread.ts';

const newThread = () =>
  new JobThread<number | string, number>({
    beside: new URL('../support/gateway.ts', import.meta.url).href,
    name: 'job-worker',
    maxHeapMb: 64,
  });
const within = (ms: number) => performance.now() + ms;

describe('a thread for jobs', () => {
  it('does one after the other, and answers each', async () => {
    const thread = newThread();

    expect(await Promise.all([1, 2, 3].map((job) => thread.run(job, within(10_000))))).toEqual([2, 4, 6]);
  });

  it('lets nobody wait longer than asked for, and goes on without the job that never ends', async () => {
    const thread = newThread();
    await thread.run(1, within(10_000));
    const begunAtMs = performance.now();

    const [stuck, next] = await Promise.all([thread.run('hang', within(200)), thread.run(4, within(10_000))]);

    expect([stuck, next]).toEqual([undefined, 8]);
    expect(performance.now() - begunAtMs).toBeLessThan(5_000);
  });

  it('forgets a job whose caller has gone before its turn', async () => {
    const thread = newThread();
    const stuck = thread.run('hang', within(600));

    expect(await thread.run(5, within(100))).toBeUndefined();
    expect([await stuck, await thread.run(6, within(10_000))]).toEqual([undefined, 12]);
  });

  it.each(['throw', 'exit'])('is started again after a job that ends it: %s', async (job) => {
    const thread = newThread();

    const [failed, next] = await Promise.all([thread.run(job, within(10_000)), thread.run(7, within(10_000))]);

    expect([failed, next]).toEqual([undefined, 14]);
  });
});
