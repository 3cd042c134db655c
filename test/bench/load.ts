import http from 'node:http';

/** Where requests go, and what they ask for. */
export interface Target {
  url: string;
  headers: Record<string, string>;
  body: (model: string, stream: boolean) => string;
}

export interface Timing {
  firstByteMs: number;
  totalMs: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

/** One request, read to its end. @throws when the answer is no 200 */
export function request(target: Target, model: string, stream: boolean): Promise<Timing> {
  const body = target.body(model, stream);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      target.url,
      {
        method: 'POST',
        agent,
        headers: { ...target.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let firstByteMs = 0;
        response.on('data', () => (firstByteMs ||= performance.now() - started));
        response.on('end', () => {
          if (response.statusCode === 200) resolve({ firstByteMs, totalMs: performance.now() - started });
          else reject(new Error(`Status ${response.statusCode}`));
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** `count` requests, `concurrency` at a time. */
export async function load(
  count: number,
  concurrency: number,
  send: () => Promise<Timing>,
): Promise<{ timings: Timing[]; elapsedMs: number }> {
  const timings: Timing[] = [];
  let left = count;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left > 0) {
        left -= 1;
        timings.push(await send());
      }
    }),
  );
  return { timings, elapsedMs: performance.now() - started };
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
