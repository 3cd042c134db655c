/**
 * Video generation by Hailuo with MiniMax's own API. Errors are codes in responses with status 200.
 * https://platform.minimax.io/docs/api-reference/video-generation-intro and …/errorcode
 */

import {
  bodyOf,
  idOf,
  isSuccess,
  moderated,
  noJob,
  noVideo,
  unknownPollResult,
  unknownState,
  unsuccessful,
  working,
} from './answers.ts';
import { dataUrl, frameOf, get, longPrompt, objections, post } from './requests.ts';
import type { Polled, Submitted } from '../job-wire.ts';
import type { VideoRequest, VideoWire } from './wire.ts';
import { recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

const MAX_MINIMAX_PROMPT_CHARACTERS = 2_000;
const MINIMAX_POLL_SECONDS = 10;
const MINIMAX_NUMBER = /^[\w-]{1,100}$/;
/** MiniMax's codes for sensitive content in the input and in the output. */
const sensitiveCodes = new Set([1026, 1027]);

export const minimaxVideoWire: VideoWire = {
  objectionTo: (request, target) =>
    objections.nothingToShow(request) ??
    objections.noPrompt(request, target) ??
    objections.seed(request) ??
    objections.sound(request) ??
    objections.noFirstFrame(request, target) ??
    longPrompt(request, MAX_MINIMAX_PROMPT_CHARACTERS),

  // MiniMax first sends a challenge to the webhook URL, which the receiver must echo. Later, MiniMax reports changes of
  // the job.
  submit(request, { upstreamModel }, { webhookUrl }) {
    return post('/v1/video_generation', {
      model: upstreamModel,
      prompt: request.prompt,
      duration: request.durationSeconds,
      resolution: request.resolution.toUpperCase(),
      first_frame_image: minimaxImage(request, 'first_frame'),
      last_frame_image: minimaxImage(request, 'last_frame'),
      callback_url: webhookUrl,
    });
  },

  readSubmitted(answer): Submitted {
    const body = bodyOf(answer);
    const { code, message } = resultOf(body);
    if (!isSuccess(answer)) return unsuccessful(answer, message, 'minimax');
    if (code === undefined) return noJob;
    if (code !== 0) return unsuccessful(answer, message ?? `The provider answered with code ${code}`, 'minimax');
    const id = idOf(body['task_id']);
    return id !== undefined && MINIMAX_NUMBER.test(id) ? { jobId: id } : noJob;
  },

  poll: (jobId) => get(`/v1/query/video_generation?task_id=${encodeURIComponent(jobId)}`),

  readPolled(answer): Polled {
    if (!isSuccess(answer)) return unknownPollResult(answer, 'minimax');
    const body = bodyOf(answer);
    const { code } = resultOf(body);
    const isSensitive = code !== undefined && sensitiveCodes.has(code);
    switch (body['status']) {
      case 'Preparing':
      case 'Queueing':
      case 'Processing':
        return working(answer, MINIMAX_POLL_SECONDS);
      case 'Success':
        return fileOf(body);
      case 'Fail':
        return isSensitive ? moderated : noVideo;
      default:
        return isSensitive ? moderated : unknownState(answer, 'minimax', body['status']);
    }
  },

  readFileAddress: (answer) => textOrAbsent(recordOrEmpty(bodyOf(answer)['file'])['download_url']),
};

function minimaxImage(request: VideoRequest, which: 'first_frame' | 'last_frame'): string | undefined {
  const frame = frameOf(request, which);
  return frame && dataUrl(frame);
}

/** Returns the code and message of a response. "success" has no information, so it counts as absent. */
function resultOf(body: Record<string, unknown>): { code: number | undefined; message: string | undefined } {
  const { status_code: code, status_msg: message } = recordOrEmpty(body['base_resp']);
  return {
    code: typeof code === 'number' ? code : undefined,
    message: message === 'success' ? undefined : textOrAbsent(message),
  };
}

function fileOf(body: Record<string, unknown>): Polled {
  const id = idOf(body['file_id']);
  if (id === undefined || !MINIMAX_NUMBER.test(id)) return noVideo;
  return { state: 'completed', files: [{ path: `/v1/files/retrieve?file_id=${id}` }] };
}
