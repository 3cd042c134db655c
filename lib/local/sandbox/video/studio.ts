/** Video endpoints in the format of OpenRouter's API, with jobs in memory. */

import { BoundedMap } from '../../../../lambdas/platform/bounded-map.ts';
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendJson } from '../send-json.ts';
import { isFinished, jobRequest, pollAnswer, readFilmDirectives, type FilmJob } from './job.ts';

/** A moving test picture of two seconds. */
export const CLIP = new URL('clip.mp4', import.meta.url);

interface FilmRequest {
  method: string;
  /** Path below the base URL of the sandbox's videos. */
  path: string;
  body: string;
  idempotencyKey: string | undefined;
}

/** @param base base URL of the sandbox's videos */
export type Studio = (request: FilmRequest, base: string, response: ServerResponse) => Promise<void>;

const MAX_JOBS = 1_000;
const JOB_PATH = /^\/videos\/([\w-]+)(\/content\?index=0|\/content)?$/;

export function openStudio(): Studio {
  const jobs = new BoundedMap<string, FilmJob>(MAX_JOBS);
  /** Job ids by idempotency key, so that a retry gets the same job. */
  const idByKey = new BoundedMap<string, string>(MAX_JOBS);

  const submit = async ({ body, idempotencyKey }: FilmRequest, base: string, response: ServerResponse) => {
    const parsed = jobRequest.safeParse(json(body));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return sendFilmRefusal(response, 400, `${issue!.path.join('.')}: ${issue!.message}`);
    }
    const directives = readFilmDirectives(parsed.data.prompt ?? '');
    await sleep(directives.slowMs);
    const { error } = directives;
    if (error !== undefined)
      return sendFilmRefusal(response, error, `The sandbox was asked to answer with status ${error}`);
    const known = idempotencyKey === undefined ? undefined : idByKey.get(idempotencyKey);
    const id = known ?? `film-${randomUUID()}`;
    if (known === undefined)
      keep({ id, request: parsed.data, directives, pollCount: 0, isOver: false }, idempotencyKey);
    sendJson(response, 202, { id, polling_url: `${base}/videos/${id}`, status: 'pending' });
  };

  const keep = (job: FilmJob, key: string | undefined) => {
    jobs.set(job.id, job);
    if (job.directives.hookMs !== undefined) void callBack(job);
    if (key !== undefined) idByKey.set(key, job.id);
  };

  return async (request, base, response) => {
    if (request.method === 'POST' && request.path === '/videos') return submit(request, base, response);
    const [, id = '', file] = JOB_PATH.exec(request.path) ?? [];
    const job = request.method === 'GET' ? jobs.get(id) : undefined;
    if (!job) return sendFilmRefusal(response, 404, 'The sandbox has no such job');
    await sleep(job.directives.slowMs);
    if (file !== undefined) return sendFile(job, response);
    job.pollCount += 1;
    if (job.directives.garbage) response.writeHead(200, { 'content-type': 'application/json' }).end('{"status": "comp');
    else sendJson(response, 200, pollAnswer(job, base));
  };
}

/** Finishes a job after `hookMs`, and sends its callback once. A failure of the callback is ignored. */
async function callBack(job: FilmJob): Promise<void> {
  await sleep(job.directives.hookMs, undefined, { ref: false });
  job.isOver = true;
  const { callback_url: url } = job.request;
  const body = JSON.stringify({ type: 'video.generation.completed', data: { id: job.id } });
  if (url)
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
}

function sendFile(job: FilmJob, response: ServerResponse): void {
  const { ending, cut } = job.directives;
  if (!isFinished(job) || ending !== 'completed')
    return sendFilmRefusal(response, 409, 'There is no video of this job yet');
  const bytes = readFileSync(CLIP);
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes.length });
  if (cut) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  else response.end(bytes);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendFilmRefusal(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { code: status, message } });
}
