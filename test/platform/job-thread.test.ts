import { describe, expect, it } from 'vitest';
import { JobThread, type JobOutcome } from '../../lambdas/platform/concurrency/job-thread.ts';

type TestJob = number | 'throw' | 'hang' | 'exit';

const newThread = (turnMs?: number) =>
  new JobThread<TestJob, number>({
    beside: new URL('../support/gateway.ts', import.meta.url).href,
    name: 'job-worker',
    maxHeapMb: 64,
    ...(turnMs === undefined ? {} : { turnMs }),
  });

const PATIENT = { maxWaitMs: 20_000, maxRunMs: 20_000 };
const of = (account: string, key = account) => ({ owner: { account, key }, clientLeft: undefined });
const ann = of('ann');
const bob = of('bob');

/** Returns the order in which these jobs end. They wait until a job that is already running has ended. */
async function orderOf(jobs: [job: number, request: ReturnType<typeof of>][]): Promise<number[]> {
  const thread = newThread();
  const done: number[] = [];
  const first = thread.run(0, of('first'), PATIENT);
  const later = jobs.map(([job, request]) => thread.run(job, request, PATIENT).then(() => done.push(job)));
  await Promise.all([first, ...later]);
  return done;
}

const leavingClient = () => {
  const leaving = new AbortController();
  return { leave: () => leaving.abort(), request: { ...ann, clientLeft: leaving.signal } };
};

describe('a thread for jobs', () => {
  it('runs one job after the other and returns each result', async () => {
    const thread = newThread();

    const outcomes = await Promise.all([1, 2, 3].map((job) => thread.run(job, ann, PATIENT)));

    expect(outcomes).toEqual([{ result: 2 }, { result: 4 }, { result: 6 }]);
  });

  it('reports a job that runs too long, ends it, and continues with the next', async () => {
    const thread = newThread();

    const [stuck, next] = await Promise.all([
      thread.run('hang', ann, { ...PATIENT, maxRunMs: 200 }),
      thread.run(4, ann, PATIENT),
    ]);

    expect([stuck, next]).toEqual([{ failure: 'too_long' }, { result: 8 }]);
  });

  it('reports a job that waits too long as "busy", and never runs it', async () => {
    const thread = newThread();
    const stuck = thread.run('hang', ann, { ...PATIENT, maxRunMs: 600 });

    expect(await thread.run(5, bob, { ...PATIENT, maxWaitMs: 100 })).toEqual({ failure: 'busy' });
    expect([await stuck, await thread.run(6, bob, PATIENT)]).toEqual([{ failure: 'too_long' }, { result: 12 }]);
  });

  it.each(['throw', 'exit'] as const)('starts again after a job that ends it: %s', async (job) => {
    const thread = newThread();

    const [failed, next] = await Promise.all([thread.run(job, ann, PATIENT), thread.run(7, ann, PATIENT)]);

    expect([failed, next]).toEqual([{ failure: 'broken' }, { result: 14 }]);
  });
});

describe('jobs of several accounts', () => {
  it('run in turns, and those of one key in order', async () => {
    const flood = [1, 2, 3, 4, 5].map((job) => [job, ann] as [number, typeof ann]);

    expect(await orderOf([...flood, [11, bob], [12, bob], [21, of('eve')]])).toEqual([1, 11, 21, 2, 12, 3, 4, 5]);
  });

  it('run in turns by the keys of an account as well', async () => {
    const [one, other] = [of('ann', 'one'), of('ann', 'other')];

    expect(
      await orderOf([
        [1, one],
        [2, one],
        [3, one],
        [11, other],
        [21, bob],
      ]),
    ).toEqual([1, 21, 11, 2, 3]);
  });

  it('are refused above 32 waiting for one key, and 64 for one account, while others are accepted', async () => {
    const thread = newThread();
    await thread.run(0, ann, PATIENT);
    const leaving = new AbortController();
    const hanging = thread.run('hang', { ...ann, clientLeft: leaving.signal }, PATIENT);
    const waiting = (count: number, key: string) =>
      Array.from({ length: count }, (_, job) => thread.run(job, of('ann', key), PATIENT));

    const outcomes = [
      ...waiting(33, 'one'),
      ...waiting(20, 'two'),
      ...waiting(20, 'three'),
      thread.run(1, bob, PATIENT),
    ];
    leaving.abort();

    const places = (await Promise.all(outcomes)).flatMap((outcome, place) => ('failure' in outcome ? [place] : []));
    expect([await hanging, places]).toEqual([{ failure: 'client_left' }, [32, 65, 66, 67, 68, 69, 70, 71, 72]]);
  });
});

describe('a job whose client disconnects', () => {
  it('is ended while it runs, so that the next one starts', async () => {
    const thread = newThread(60_000);
    const { leave, request } = leavingClient();
    const hanging = thread.run('hang', request, PATIENT);
    const next = thread.run(1, bob, PATIENT);

    leave();

    expect([await hanging, await next]).toEqual([{ failure: 'client_left' }, { result: 2 }]);
  });

  it('is removed from the queue while it waits', async () => {
    const thread = newThread(60_000);
    const hanging = leavingClient();
    const waiting = leavingClient();
    const outcomes: Promise<JobOutcome<number>>[] = [thread.run('hang', hanging.request, PATIENT)];
    // These jobs would never end if they were started.
    for (let count = 0; count < 20; count += 1) outcomes.push(thread.run('hang', waiting.request, PATIENT));

    waiting.leave();
    hanging.leave();

    expect(await thread.run(1, bob, PATIENT)).toEqual({ result: 2 });
    expect(new Set((await Promise.all(outcomes)).map((outcome) => 'failure' in outcome && outcome.failure))).toEqual(
      new Set(['client_left']),
    );
  });

  it('is not started if the client has disconnected before', async () => {
    const { leave, request } = leavingClient();
    leave();

    expect(await newThread().run('hang', request, PATIENT)).toEqual({ failure: 'client_left' });
  });
});

describe('a job that exceeds its time slice', () => {
  it('is set aside for a new one, and continues when no other waits', async () => {
    const thread = newThread(100);
    const long = thread.run('hang', ann, { maxWaitMs: 20_000, maxRunMs: 1_000 });

    expect(await thread.run(1, bob, PATIENT)).toEqual({ result: 2 });
    expect(await long).toEqual({ failure: 'too_long' });
  });

  it('is set aside for another one that was set aside, so that none waits for the end of another', async () => {
    const thread = newThread(50);
    const leaving = new AbortController();
    const long = thread.run('hang', { ...ann, clientLeft: leaving.signal }, { maxWaitMs: 20_000, maxRunMs: 30_000 });
    const other = thread.run('hang', bob, { maxWaitMs: 20_000, maxRunMs: 300 });

    expect(await other).toEqual({ failure: 'too_long' });
    expect(await thread.run(1, bob, PATIENT)).toEqual({ result: 2 });
    expect(await Promise.race([long, Promise.resolve('goes on')])).toBe('goes on');
    leaving.abort();
  });

  it('fails because the thread was busy if others use its time', async () => {
    const thread = newThread(50);
    const leaving = new AbortController();
    const long = thread.run('hang', { ...ann, clientLeft: leaving.signal }, PATIENT);
    const other = thread.run('hang', bob, { maxWaitMs: 300, maxRunMs: 20_000 });

    expect(await other).toEqual({ failure: 'busy' });
    leaving.abort();
    expect(await long).toEqual({ failure: 'client_left' });
  });
});

describe('a thread that cannot start', () => {
  it('fails each job once', async () => {
    const thread = new JobThread<TestJob, number>({ beside: import.meta.url, name: 'nothing-here', maxHeapMb: 64 });

    const outcomes = await Promise.all([thread.run(1, ann, PATIENT), thread.run(2, bob, PATIENT)]);

    expect(outcomes).toEqual([{ failure: 'broken' }, { failure: 'broken' }]);
  });
});
