import { describe, expect, it } from 'vitest';
import { WaitingRoom, type Waiter } from '../../lambdas/admission/waiting-room.ts';
import { isEndedWithin } from '../support/in-time.ts';

const MAX_WAITING = 32;

const inMs = (ms: number) => performance.now() + ms;
const far = () => inMs(10_000);

/** Takes places in the queue of a scope, as long as there are free places. */
const enter = (room: WaitingRoom, count: number, name = 'key#a') =>
  Array.from({ length: count }, () => room.enter(name));

async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work;
  return performance.now() - startMs;
}

describe('a waiting room', () => {
  it('has a fixed number of places per scope', () => {
    const room = new WaitingRoom();

    const waiters = enter(room, MAX_WAITING + 1);

    expect(waiters.map((waiter) => waiter !== undefined)).toEqual([...Array<boolean>(MAX_WAITING).fill(true), false]);
    expect(room.enter('key#b')?.name).toBe('key#b');
  });

  it('has a free place after a request leaves, and only one for repeated calls', () => {
    const room = new WaitingRoom();
    const [first] = enter(room, MAX_WAITING);

    first!.leave();
    first!.leave();

    expect([room.enter('key#a'), room.enter('key#a')]).toEqual([expect.anything(), undefined]);
  });
});

describe('a request in a waiting room', () => {
  it('tries again when its time is over, at any position', async () => {
    const [first, second] = enter(new WaitingRoom(), 2) as [Waiter, Waiter];
    const deadlineMs = inMs(30);

    expect(await isEndedWithin(330, Promise.all([first.turn(deadlineMs), second.turn(deadlineMs)]))).toBe(true);
  });

  it('tries again after the requests before it, in order of arrival', async () => {
    const waiters = enter(new WaitingRoom(), 3) as Waiter[];
    const order: number[] = [];

    await Promise.all(
      waiters.map(async (waiter, index) => {
        await waiter.turn(far());
        order.push(index);
        waiter.leave();
      }),
    );

    expect(order).toEqual([0, 1, 2]);
  });

  it('tries again at intervals behind a request that stays, because it may need less', async () => {
    const [, second] = enter(new WaitingRoom(), 2) as [Waiter, Waiter];

    const waitedMs = await elapsedMs(second.turn(far()));

    expect(waitedMs).toBeGreaterThan(400);
    expect(waitedMs).toBeLessThan(3_000);
  });
});
