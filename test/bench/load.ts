import http from 'node:http';

export interface Target {
  url: string;
  headers: Record<string, string>;
  /** Selects the answer of the mock upstream. */
  model: string;
}

export interface Asked {
  stream?: boolean;
  promptBytes?: number;
  /** Fields that replace or extend the fields of the body. */
  fields?: object;
  /** Headers that replace or extend the headers of the target. */
  headers?: Record<string, string>;
}

export interface Timing {
  firstByteMs: number;
  totalMs: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
const SHORT = 'Say something about the weather in a few words, please. ';
const prompts = new Map<number, string>();

function promptOf(bytes: number): string {
  const known = prompts.get(bytes);
  if (known !== undefined) return known;
  const prompt = SHORT.repeat(Math.ceil(bytes / SHORT.length)).slice(0, bytes);
  prompts.set(bytes, prompt);
  return prompt;
}

const SHORT_BYTES = 180;

/**
 * Sends a request, and returns its times.
 * @throws {Error} if the status is not 200
 */
export function request(
  target: Target,
  { stream = false, promptBytes = SHORT_BYTES, fields = {}, headers = {} }: Asked = {},
) {
  const body = JSON.stringify({
    model: target.model,
    max_tokens: 1_000,
    stream,
    messages: [{ role: 'user', content: promptOf(promptBytes) }],
    ...fields,
  });
  const started = performance.now();
  return new Promise<Timing>((resolve, reject) => {
    const outgoing = http.request(
      target.url,
      {
        method: 'POST',
        agent,
        headers: {
          ...target.headers,
          ...headers,
          'anthropic-version': '2023-06-01',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let firstByteMs = 0;
        let refusal = '';
        response.on('data', (chunk: Buffer) => {
          firstByteMs ||= performance.now() - started;
          if (response.statusCode !== 200) refusal += chunk.toString();
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve({ firstByteMs, totalMs: performance.now() - started });
          else reject(new Error(`${target.url} answered ${response.statusCode}: ${refusal.slice(0, 500)}`));
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export async function load(
  count: number,
  concurrency: number,
  send: (index: number) => Promise<Timing>,
): Promise<{ timings: Timing[]; elapsedMs: number }> {
  const timings: Timing[] = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(count, concurrency) }, async () => {
      while (next < count) {
        next += 1;
        timings.push(await send(next - 1));
      }
    }),
  );
  return { timings, elapsedMs: performance.now() - started };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
