/**
 * Video generation by Veo with the Gemini API, as a long-running operation.
 * https://ai.google.dev/gemini-api/docs/video; Google's SDK shows which parameters this API lacks.
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
  unsuccessful,
  working,
} from './answers.ts';
import { frameOf, get, objections, post } from './requests.ts';
import type { Polled } from '../job-wire.ts';
import type { VideoRequest, VideoWire } from './wire.ts';
import { recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

/**
 * Matches the path of an operation. The path comes from the provider, so it is checked before it becomes part of a URL.
 */
const OPERATION = /^models\/[\w.-]+\/operations\/[\w-]+$/;
/** Matches URLs of files at the Gemini API itself, which require the API key. The group captures the path. */
const OWN_FILE = /^https:\/\/generativelanguage\.googleapis\.com\/v1beta(\/files\/[\w-]+:download\?alt=media)$/;
const VEO_POLL_SECONDS = 10;
/** Matches messages of operations that Google's policies ended (https://github.com/HKUDS/ViMax/issues/20). */
const POLICY_MESSAGE = /\b(?:responsible ai|usage guidelines|violates?|sensitive words|safety)\b/i;

export const googleVeoWire: VideoWire = {
  objectionTo: (request) =>
    objections.nothingToShow(request) ??
    objections.seed(request) ??
    objections.silence(request) ??
    objections.lastFrameAlone(request),

  submit(request, { upstreamModel }) {
    const instance = {
      prompt: request.prompt,
      image: veoImage(request, 'first_frame'),
      lastFrame: veoImage(request, 'last_frame'),
    };
    const parameters = {
      aspectRatio: request.aspectRatio,
      durationSeconds: request.durationSeconds,
      resolution: request.resolution.toLowerCase(),
    };
    return post(`/models/${upstreamModel}:predictLongRunning`, { instances: [instance], parameters });
  },

  readSubmitted(answer) {
    const body = bodyOf(answer);
    if (!isSuccess(answer)) return unsuccessful(answer, recordOrEmpty(body['error'])['message'], 'google');
    const name = idOf(body['name']);
    return name !== undefined && OPERATION.test(name) ? { jobId: name } : noJob;
  },

  poll: (jobId) => get(`/${jobId}`),

  readPolled(answer): Polled {
    if (!isSuccess(answer)) return unknownPollResult(answer, 'google');
    const body = bodyOf(answer);
    if (body['done'] !== true) {
      return textOrAbsent(body['name']) === undefined
        ? unknownPollResult(answer, 'google', 'no operation')
        : working(answer, VEO_POLL_SECONDS);
    }
    if (body['error'] !== undefined) {
      return POLICY_MESSAGE.test(textOrAbsent(recordOrEmpty(body['error'])['message']) ?? '') ? moderated : noVideo;
    }
    return veoFiles(recordOrEmpty(recordOrEmpty(body['response'])['generateVideoResponse']));
  },
};

function veoImage(request: VideoRequest, which: 'first_frame' | 'last_frame') {
  const frame = frameOf(request, which);
  return frame && { bytesBase64Encoded: frame.base64, mimeType: frame.mediaType };
}

/** Returns the files of a finished operation. Without files, the job has failed. */
function veoFiles(response: Record<string, unknown>): Polled {
  const uris = jobList(response['generatedSamples']).map((sample) =>
    textOrAbsent(recordOrEmpty(recordOrEmpty(sample)['video'])['uri']),
  );
  const files = uris.filter((uri) => uri !== undefined).map(fileAt);
  if (files.length > 0) return { state: 'completed', files };
  const [reason] = jobList(response['raiMediaFilteredReasons']);
  return textOrAbsent(reason) === undefined ? noVideo : moderated;
}

function fileAt(uri: string): { path: string } | { url: string } {
  const path = OWN_FILE.exec(uri)?.[1];
  return path === undefined ? { url: uri } : { path };
}
