import { describe, expect, it } from 'vitest';
import { boundedHost } from '../../lambdas/server/bounded-host.ts';
import type { FunctionHost } from '../../lambdas/server/function-host.ts';

const overloaded = { status: 529, headers: { 'retry-after': '1' } };

/** Returns a host whose functions run until a test ends them. */
function hostOfSlow(maxRequests: number) {
  const ends: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => ends.push(resolve));
  const host: FunctionHost = { invoke: run, stream: run, idle: async () => undefined, stop: async () => undefined };
  return { functions: boundedHost(host, maxRequests), ends };
}

describe('a process with its maximum of requests', () => {
  it('refuses the next request with 529 until one has ended', async () => {
    const { functions, ends } = hostOfSlow(2);
    const first = functions.invoke('get-key', {});
    void functions.invoke('create-message', {});

    await expect(functions.invoke('get-key', {})).rejects.toMatchObject(overloaded);
    ends[0]!();
    await first;

    void functions.invoke('get-key', {});
    expect(ends).toHaveLength(3);
  });

  it('still reports that it is healthy', async () => {
    const { functions, ends } = hostOfSlow(1);
    void functions.invoke('get-key', {});

    void functions.invoke('health', {});

    expect(ends).toHaveLength(2);
  });
});

describe('a stopping process', () => {
  it('refuses every new request with 529, and completes the running ones', async () => {
    const { functions, ends } = hostOfSlow(2);
    const begun = functions.invoke('get-key', {});

    functions.refuseNew();

    await expect(functions.invoke('get-key', {})).rejects.toMatchObject(overloaded);
    await expect(functions.invoke('health', {})).rejects.toMatchObject(overloaded);
    ends[0]!();
    await begun;
  });
});
