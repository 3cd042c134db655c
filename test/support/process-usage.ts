import type { RunningGateway } from './gateway.ts';

/** Environment of a gateway whose memory can be inspected. */
export const measurable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Returns the memory that a gateway retains after garbage collection: objects and buffers. The gateway must have been
 * started with `measurable`. Resident memory is not used, because processes return it to the system late or never.
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
