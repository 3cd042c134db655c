import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.ts';

/** Behavior of a provider for one job, as the job's prompt specifies. */
export interface VideoScript {
  /**
   * Responses to submissions in order, the last of which repeats: an HTTP status, or `silence` for a closed connection.
   */
  submit?: (number | 'accept' | 'silence')[];
  /** Responses to polls in order, the last of which repeats: an HTTP status, or the text of the job's status. */
  poll?: (string | number)[];
  /**
   * Responses to file requests in order, the last of which repeats: a file (complete, broken off, or with a wrong
   * length), or an HTTP status.
   */
  file?: ({ bytes: number } | { brokenAfter: number } | { claims: number } | number)[];
}

/** Provider of videos in the form of OpenRouter's API, which behaves as the prompt (JSON) specifies. */
export interface VideoProvider {
  url: string;
  /** Requests in order of arrival, for example `POST /one/videos`. */
  requests: string[];
  submitted: Record<string, unknown>[];
  tokens: string[];
  stop: () => Promise<void>;
}

type Step<Of extends keyof VideoScript> = NonNullable<VideoScript[Of]>[number];

interface Made {
  script: VideoScript;
  polls: number;
  files: number;
}

export const videoBytes = (length: number): Buffer => Buffer.alloc(length, 'frames of a film ');

export async function startVideoProvider(): Promise<VideoProvider> {
  const made = new Map<string, Made>();
  const tries = new Map<string, number>();
  const provider = { requests: [] as string[], submitted: [] as Record<string, unknown>[], tokens: [] as string[] };

  function submit(body: Record<string, unknown>, token: string, response: ServerResponse): void {
    provider.submitted.push(body);
    provider.tokens.push(token);
    const script = JSON.parse(body['prompt'] as string) as VideoScript;
    const tried = tries.get(token) ?? 0;
    tries.set(token, tried + 1);
    const then = turn<Step<'submit'>>(script.submit ?? ['accept'], tried);
    if (then === 'silence') return void response.destroy();
    if (typeof then === 'number') return answer(response, then, { error: { message: `no: ${then}` } });
    // A token creates only one job.
    if (!made.has(token)) made.set(token, { script, polls: 0, files: 0 });
    answer(response, 202, { id: token, status: 'pending' });
  }

  function poll(id: string, response: ServerResponse): void {
    const job = made.get(id);
    if (!job) return answer(response, 404, { error: { message: 'no such job' } });
    const then = turn(job.script.poll ?? ['completed'], job.polls);
    job.polls += 1;
    if (typeof then === 'number') return answer(response, then, {});
    answer(response, 200, { id, status: then, error: 'It did not work: the prompt says secret things' });
  }

  async function file(id: string, response: ServerResponse): Promise<void> {
    const job = made.get(id)!;
    const then = turn(job.script.file ?? [{ bytes: 1_000 }], job.files);
    job.files += 1;
    if (typeof then === 'number') return answer(response, then, {});
    if ('claims' in then) return void response.writeHead(200, { 'content-length': then.claims }).write('frames');
    const length = 'bytes' in then ? then.bytes : then.brokenAfter * 2;
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': length });
    if ('bytes' in then) return void response.end(videoBytes(then.bytes));
    response.write(videoBytes(then.brokenAfter));
    await sleep(20);
    response.destroy();
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      provider.requests.push(`${request.method} ${request.url}`);
      const [, id, content] = /\/videos\/([^/?]+)(\/content)?/.exec(request.url!) ?? [];
      if (request.method === 'POST') {
        submit(JSON.parse(body) as Record<string, unknown>, String(request.headers['idempotency-key']), response);
      } else if (content) await file(id!, response);
      else poll(id!, response);
    })();
  });
  const { url, stop } = await listen(server);
  return { ...provider, url, stop };
}

function turn<Value>(values: readonly Value[], at: number): Value {
  return values[Math.min(at, values.length - 1)]!;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Catalog with the model `test/film`, whose endpoints are paths of the test's provider in the given order. */
export function filmCatalog(url: string, paths: string[]): { models: object[]; providers: object[] } {
  const providers = paths.map((id) => ({
    id,
    name: `Provider ${id}`,
    wire: 'video-jobs',
    base_url: `${url}/${id}`,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  }));
  const film = {
    id: 'test/film',
    permaslug: 'test/film-1',
    name: 'Film',
    created: '2026-11-20',
    input_modalities: ['text', 'image'],
    output_modalities: ['video'],
    video: {
      durations: [5, 10],
      resolutions: ['768p', '1080p'],
      durations_at: { '1080p': [5] },
      aspect_ratios: ['16:9', '9:16'],
      frame_images: ['first_frame'],
      price_per_second: { '768p': '12.5', '1080p': '25.000000000001' },
    },
    endpoints: paths.map((id) => ({
      id: `test/film/${id}`,
      provider: id,
      upstream_model: 'film',
      pricing: { prompt: '0', completion: '0' },
    })),
  };
  return { models: [film], providers };
}
