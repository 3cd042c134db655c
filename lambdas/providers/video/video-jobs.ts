/**
 * Video generation with an API that several services share: POST /videos, GET /videos/{id}, GET /videos/{id}/content.
 * The gateway's own API has this form too. https://openrouter.ai/docs/api_reference/videos
 */

import {
  bodyOf,
  isSuccess,
  jobList,
  noJob,
  noVideo,
  unknownPollResult,
  unknownState,
  unsuccessful,
  working,
} from './answers.ts';
import { dataUrl, get, objections, post } from './requests.ts';
import type { Polled } from '../job-wire.ts';
import type { VideoWire } from './wire.ts';
import { recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

const VIDEO_JOB_ID = /^[\w.:-]{1,200}$/;

export const videoJobsWire: VideoWire = {
  hasSubmissionTokens: true,
  objectionTo: objections.nothingToShow,

  submit(request, { upstreamModel }, { clientToken, webhookUrl }) {
    const body = {
      model: upstreamModel,
      prompt: request.prompt,
      duration: request.durationSeconds,
      resolution: request.resolution,
      aspect_ratio: request.aspectRatio,
      frame_images: request.frames.map((frame) => ({
        type: 'image_url',
        image_url: { url: dataUrl(frame) },
        frame_type: frame.frame,
      })),
      seed: request.seed,
      generate_audio: request.withAudio,
      callback_url: webhookUrl,
    };
    return post('/videos', body, { 'idempotency-key': clientToken });
  },

  readSubmitted(answer) {
    const body = bodyOf(answer);
    if (!isSuccess(answer)) return unsuccessful(answer, jobMessage(body), 'video');
    const id = textOrAbsent(body['id']);
    return id !== undefined && VIDEO_JOB_ID.test(id) ? { jobId: id } : noJob;
  },

  poll: (jobId) => get(`/videos/${encodeURIComponent(jobId)}`),

  readPolled(answer): Polled {
    if (!isSuccess(answer)) return unknownPollResult(answer, 'video');
    const body = bodyOf(answer);
    switch (body['status']) {
      case 'pending':
      case 'in_progress':
        return working(answer);
      case 'completed':
        return completed(body);
      case 'failed':
      case 'expired':
        return noVideo;
      case 'cancelled':
        return { state: 'cancelled' };
      default:
        return unknownState(answer, 'video', body['status']);
    }
  },
};

/**
 * Returns the files of a completed job. URLs in the response may need the provider's credential, or point to another
 * host. Each file is therefore requested from the provider itself, by its index.
 */
function completed(body: Record<string, unknown>): Polled {
  const id = textOrAbsent(body['id']);
  if (id === undefined || !VIDEO_JOB_ID.test(id)) return { state: 'unknown', reason: 'completed without an id' };
  const count = Math.max(1, jobList(body['unsigned_urls']).length);
  const files = Array.from({ length: count }, (_, index) => ({
    path: `/videos/${encodeURIComponent(id)}/content?index=${index}`,
  }));
  return { state: 'completed', files };
}

/**
 * Returns the error message in a response. The field `error` is a string in responses to polls, and an object with a
 * message in other responses.
 */
function jobMessage({ error }: Record<string, unknown>): unknown {
  return textOrAbsent(error) ?? recordOrEmpty(error)['message'];
}
