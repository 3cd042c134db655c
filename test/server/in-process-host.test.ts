import { expect, it } from 'vitest';
import type { Context } from 'aws-lambda';
import { startInProcessHost } from '../../lambdas/server/in-process-host.ts';

it('the in-process host loads the module of a function again after a failure to load it', async () => {
  let loads = 0;
  const host = await startInProcessHost([], async () => {
    loads += 1;
    if (loads === 1) throw new Error('EMFILE: too many open files');
    return { handler: async (_event: unknown, { functionName }: Context) => functionName };
  });

  await expect(host.invoke('get-key', {}, new AbortController().signal)).rejects.toThrow('EMFILE');
  await expect(host.invoke('get-key', {}, new AbortController().signal)).resolves.toBe('get-key');
  await expect(host.invoke('get-key', {}, new AbortController().signal)).resolves.toBe('get-key');
  expect(loads).toBe(2);
  await host.stop();
});
