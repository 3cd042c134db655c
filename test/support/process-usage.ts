import type { RunningGateway } from './gateway.ts';

export const measurable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Returns the memory in MB that a gateway with the environment `measurable` holds after garbage collection. Processes
 * return resident memory to the system late or never.
 */
export async function heldMb(gateway: RunningGateway): Promise<number> {
  const url = /Debugger listening on (ws:\S+)/.exec(gateway.log())![1]!;
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`No inspector at ${url}`)));
  });
  const call = (id: number, method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const reply = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (reply.id === id) resolve(reply.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    await call(1, 'HeapProfiler.collectGarbage');
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
    const { result } = (await call(2, 'Runtime.evaluate', { expression })) as { result: { value: number } };
    return result.value / 1024 / 1024;
  } finally {
    socket.close();
  }
}
