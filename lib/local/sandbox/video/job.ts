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

/** Directives for videos in the line "@sandbox …" of a prompt (docs/sandbox.md). */
interface FilmDirectives {
  /** HTTP status with which the sandbox rejects the job. */
  error: number | undefined;
  /** Delay before each response about the job. */
  slowMs: number;
  /** Number of polls before the job is finished. */
  polls: number;
  ending: 'completed' | 'failed' | 'expired' | 'cancelled';
  /**
   * Time until the job is finished and its callback is sent; if undefined, `polls` applies, and no callback is sent.
   */
  hookMs: number | undefined;
  /** Whether the job never finishes. */
  stall: boolean;
  /** Whether responses to polls are invalid JSON. */
  garbage: boolean;
  /** Whether the connection breaks in the middle of the video file. */
  cut: boolean;
}

export interface FilmJob {
  id: string;
  request: JobRequest;
  directives: FilmDirectives;
  pollCount: number;
  /** Whether the time `hookMs` has passed. */
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

export function isFinished({ pollCount, isOver, directives: { stall, polls, hookMs } }: FilmJob): boolean {
  return !stall && (hookMs === undefined ? pollCount > polls : isOver);
}

/**
 * Returns the response to a poll of a job.
 * @param base base URL of the sandbox's videos
 */
export function pollAnswer(film: FilmJob, base: string): object {
  const { id, pollCount, directives } = film;
  const { ending } = directives;
  const job = { id, polling_url: `${base}/videos/${id}`, generation_id: id };
  if (!isFinished(film)) return { ...job, status: pollCount <= 1 ? 'pending' : 'in_progress' };
  if (ending === 'completed') {
    return { ...job, status: ending, unsigned_urls: [`${base}/videos/${id}/content?index=0`], usage: { cost: 0 } };
  }
  return { ...job, status: ending, ...(ending === 'failed' ? { error: 'The sandbox was asked to fail' } : {}) };
}
