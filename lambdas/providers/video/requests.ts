import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { JobHttpRequest, JobTarget } from '../job-wire.ts';
import type { VideoRequest } from './wire.ts';

export function post(path: string, body: object, headers: Record<string, string> = {}): JobHttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: wellFormedJson(body),
  };
}

export function get(path: string, headers: Record<string, string> = {}): JobHttpRequest {
  return { method: 'GET', path, headers, body: undefined };
}

export function frameOf({ frames }: VideoRequest, which: 'first_frame' | 'last_frame') {
  return frames.find(({ frame }) => frame === which);
}

export function dataUrl({ mediaType, base64 }: { mediaType: string; base64: string }): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Checks that return an unsupported field with an error message; undefined if the request does not use it. */
export const objections = {
  seed: ({ seed }: VideoRequest) =>
    seed === undefined ? undefined : { field: 'seed', message: 'This model does not support seed. Leave it out.' },
  sound: ({ withAudio }: VideoRequest) =>
    withAudio
      ? { field: 'generate_audio', message: 'This model does not make sound. Leave the field out, or send false.' }
      : undefined,
  silence: ({ withAudio }: VideoRequest) =>
    withAudio === false
      ? { field: 'generate_audio', message: 'This model always makes sound. Leave the field out, or send true.' }
      : undefined,
  lastFrameAlone: (request: VideoRequest) =>
    frameOf(request, 'last_frame') && !frameOf(request, 'first_frame')
      ? { field: 'frame_images', message: 'A last_frame needs a first_frame. Send both.' }
      : undefined,
  noFirstFrame: (request: VideoRequest, { quirks }: JobTarget) =>
    quirks['needs_first_frame'] === true && !frameOf(request, 'first_frame')
      ? { field: 'frame_images', message: 'This model makes videos only from a picture. Send a first_frame.' }
      : undefined,
  noPrompt: ({ prompt }: VideoRequest, { quirks }: JobTarget) =>
    quirks['needs_prompt'] === true && !prompt
      ? { field: 'prompt', message: 'This model requires a prompt. Describe the video in prompt.' }
      : undefined,
  nothingToShow: ({ prompt, frames }: VideoRequest) =>
    prompt === undefined && frames.length === 0
      ? { field: 'prompt', message: 'A prompt or a frame is required. Describe the video in prompt.' }
      : undefined,
};

export function longPrompt({ prompt }: VideoRequest, most: number) {
  return prompt !== undefined && prompt.length > most
    ? {
        field: 'prompt',
        message: `It must have at most ${most} characters on this model, and has ${prompt.length}. Shorten it.`,
      }
    : undefined;
}
