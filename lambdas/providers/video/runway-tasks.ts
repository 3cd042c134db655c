/**
 * Video generation with Runway's API. The task's files are at public URLs that expire after a day.
 * https://docs.dev.runwayml.com/api and …/errors/task-failures
 */

import {
  bodyOf,
  idOf,
  isSuccess,
  jobList,
  moderated,
  noJob,
  noVideo,
  unknownPollResult,
  unknownState,
  unsuccessful,
  working,
} from './answers.ts';
import { dataUrl, frameOf, get, longPrompt, objections, post } from './requests.ts';
import type { Polled, JobObjection } from '../job-wire.ts';
import type { VideoRequest, VideoWire } from './wire.ts';
import { textOrAbsent } from '../../platform/json/foreign-json.ts';

const version = { 'x-runway-version': '2024-11-06' };
const MAX_RUNWAY_PROMPT_CHARACTERS = 1_000;
/** Minimum time between polls, according to Runway's documentation. */
const RUNWAY_POLL_SECONDS = 5;
const RUNWAY_JOB_ID = /^[\w-]{1,100}$/;

/** Width and height in pixels by aspect ratio, at 720p, the only resolution that this wire supports. */
const pixels: Record<string, string> = {
  '16:9': '1280:720',
  '9:16': '720:1280',
  '4:3': '1104:832',
  '3:4': '832:1104',
  '1:1': '960:960',
  '21:9': '1584:672',
};
const ratiosOfTexts = new Set(['16:9', '9:16']);
/** Maximum length of a picture as a data URL, in characters. https://docs.dev.runwayml.com/assets/inputs/ */
const MAX_RUNWAY_PICTURE_CHARACTERS = 5_000_000;

export const runwayTasksWire: VideoWire = {
  objectionTo: (request, target) =>
    objections.nothingToShow(request) ??
    objections.noPrompt(request, target) ??
    objections.sound(request) ??
    objections.noFirstFrame(request, target) ??
    objections.lastFrameAlone(request) ??
    objectionToRatio(request) ??
    objectionToSize(request) ??
    longPrompt(request, MAX_RUNWAY_PROMPT_CHARACTERS),

  submit(request, { upstreamModel }) {
    const body = {
      model: upstreamModel,
      promptText: request.prompt,
      promptImage: imagesOf(request),
      ratio: pixels[request.aspectRatio],
      duration: request.durationSeconds,
      seed: request.seed,
    };
    return post(request.frames.length > 0 ? '/v1/image_to_video' : '/v1/text_to_video', body, version);
  },

  readSubmitted(answer) {
    const body = bodyOf(answer);
    if (!isSuccess(answer)) return unsuccessful(answer, body['error'], 'runway');
    const id = idOf(body['id']);
    return id !== undefined && RUNWAY_JOB_ID.test(id) ? { jobId: id } : noJob;
  },

  poll: (jobId) => get(`/v1/tasks/${encodeURIComponent(jobId)}`, version),

  readPolled(answer): Polled {
    if (!isSuccess(answer)) return unknownPollResult(answer, 'runway');
    const body = bodyOf(answer);
    switch (body['status']) {
      case 'PENDING':
      case 'THROTTLED':
      case 'RUNNING':
        return working(answer, RUNWAY_POLL_SECONDS);
      case 'SUCCEEDED':
        return runwayFiles(body);
      case 'FAILED':
        return wasModerated(body) ? moderated : noVideo;
      case 'CANCELLED':
        return { state: 'cancelled' };
      default:
        return unknownState(answer, 'runway', body['status']);
    }
  },
};

function objectionToRatio({ aspectRatio, frames }: VideoRequest): JobObjection | undefined {
  const known = frames.length > 0 ? Object.keys(pixels) : [...ratiosOfTexts];
  if (known.includes(aspectRatio)) return undefined;
  const without = frames.length > 0 ? '' : ' without a first_frame';
  return { field: 'aspect_ratio', message: `It must be ${known.join(', ')}${without}.` };
}

function objectionToSize({ frames }: VideoRequest): JobObjection | undefined {
  if (frames.every((frame) => dataUrl(frame).length <= MAX_RUNWAY_PICTURE_CHARACTERS)) return undefined;
  return { field: 'frame_images', message: 'A picture must have at most 3.7 MB on this model. Send a smaller one.' };
}

function imagesOf(request: VideoRequest): string | { uri: string; position: 'first' | 'last' }[] | undefined {
  const first = frameOf(request, 'first_frame');
  const last = frameOf(request, 'last_frame');
  if (!first) return undefined;
  if (!last) return dataUrl(first);
  return [
    { uri: dataUrl(first), position: 'first' },
    { uri: dataUrl(last), position: 'last' },
  ];
}

function runwayFiles(body: Record<string, unknown>): Polled {
  const files = jobList(body['output'])
    .map(textOrAbsent)
    .filter((url) => url !== undefined)
    .map((url) => ({ url }));
  return files.length > 0 ? { state: 'completed', files } : noVideo;
}

/** Returns whether content moderation stopped a failed task. Its code is then `SAFETY.INPUT.TEXT`, for example. */
function wasModerated(body: Record<string, unknown>): boolean {
  return textOrAbsent(body['failureCode'])?.split('.').includes('SAFETY') ?? false;
}
