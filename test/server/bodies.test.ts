import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../../lambdas/server/bodies.ts';

describe('the memory for bodies', () => {
  it('is shared by all requests', () => {
    const room = new BodyRoom(100);
    room.share().grow(60);
    const late = room.share();

    late.grow(40);

    expect(() => late.grow(1)).toThrow(expect.objectContaining({ status: 529, headers: { 'retry-after': '1' } }));
  });

  it('is released once and completely, also by repeated calls', () => {
    const room = new BodyRoom(100);
    const [first, second] = [room.share(), room.share()];
    first.grow(70);
    second.grow(30);

    first.release();
    first.release();

    room.share().grow(70);
    expect(() => room.share().grow(1)).toThrow();
  });
});
