/** One job of the sandbox: what was asked for, and what becomes of it. */

import * as z from 'zod';
import { parseDirectiveLine } from '../directives.ts';

const dataUrl = z
  .string()
  .regex(/^data:image\/[a-z+.-]+;base64,/, 'the sandbox fetches nothing: it must be a data URL');

export const jobRequest = z
  .object({
    model: z.string(),
    prompt: z.string().optional(),
    duration: z.int().positive().max(60),
    resolution: z.string(),
    aspect_ratio: z.string().regex(/^[1-9]\d?:[1-9]\d?$/),
    frame_images: z
      .array(z.object({ image_url: z.object({ url: dataUrl }), frame_type: z.enum(['first_frame', 'last_frame']) }))
      .max(2)
      .default([]),
    seed: z.int().optional(),
    generate_audio: z.boolean().optional(),
    callback_url: z.url().optional(),
  })
  .refine(({ prompt, frame_images }) => prompt !== undefined || frame_images.length > 0, {
    path: ['prompt'],
    message: 'is missing',
  });
type JobRequest = z.infer<typeof jobRequest>;

/** What the line "@sandbox …" of a prompt asks for; docs/sandbox.md lists the words. */
interface FilmDirectives {
  /** HTTP status of the answer to the request. */
  error: number | undefined;
  /** Milliseconds before every answer about the job. */
  slowMs: number;
  /** How often the job is not over yet. */
  polls: number;
  /** In what it ends. */
  ending: 'completed' | 'failed' | 'expired' | 'cancelled';
  /** Milliseconds after which the job is over, and the callback says so; undefined: polls decide, and there is none. */
  hookMs: number | undefined;
  /** It never ends. */
  stall: boolean;
  /** Answers how it stands are not JSON. */
  garbage: boolean;
  /** The file breaks off in the middle. */
  cut: boolean;
}

export interface FilmJob {
  id: string;
  request: JobRequest;
  directives: FilmDirectives;
  /** How often it was asked for. */
  asked: number;
  /** Its callback was sent. */
  isOver: boolean;
}

const DEFAULT_POLLS = 2;
const MAX_SLOW_MS = 60_000;

export function readFilmDirectives(prompt: string): FilmDirectives {
  const { has, number } = parseDirectiveLine(prompt);
  const ending = has('fail') ? 'failed' : has('expire') ? 'expired' : has('cancel') ? 'cancelled' : 'completed';
  return {
    error: number('error'),
    slowMs: Math.min(number('slow') ?? 0, MAX_SLOW_MS),
    polls: number('polls') ?? DEFAULT_POLLS,
    ending,
    hookMs: number('hook'),
    stall: has('stall'),
    garbage: has('garbage'),
    cut: has('cut'),
  };
}

export function isFinished({ asked, isOver, directives: { stall, polls, hookMs } }: FilmJob): boolean {
  return !stall && (hookMs === undefined ? asked > polls : isOver);
}

/** What a poll is answered. @param base where the sandbox makes videos */
export function pollAnswer(film: FilmJob, base: string): object {
  const { id, asked, directives } = film;
  const { ending } = directives;
  const job = { id, polling_url: `${base}/videos/${id}`, generation_id: id };
  if (!isFinished(film)) return { ...job, status: asked <= 1 ? 'pending' : 'in_progress' };
  if (ending === 'completed') {
    return { ...job, status: ending, unsigned_urls: [`${base}/videos/${id}/content?index=0`], usage: { cost: 0 } };
  }
  return { ...job, status: ending, ...(ending === 'failed' ? { error: 'The sandbox was asked to fail' } : {}) };
}
