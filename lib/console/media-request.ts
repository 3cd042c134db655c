import type { ShownModel } from './answers.ts';
import { parseExactJson } from './exact-numbers.ts';
import type { GatewayClient } from './gateway-client.ts';

export const mediaKinds = ['image', 'speech', 'transcription'] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface MediaDraft {
  kind: MediaKind;
  model: string;
  /** Description of the image, or text to speak. */
  text: string;
  /** Voice; empty for the default of the model. */
  voice: string;
  recording: File | undefined;
}

/** `url` is the data URL of an image, or an object URL of speech, which the caller must release. */
export type MediaResult = { generationId: string | undefined } & (
  | { kind: 'image' | 'speech'; url: string }
  | { kind: 'transcription'; text: string }
);

/** Returns whether a model produces this output and is not known to be unavailable. */
export function makes(kind: MediaKind, { available, architecture }: Pick<ShownModel, 'available' | 'architecture'>) {
  return available !== false && architecture.output_modalities.includes(kind);
}

/**
 * Sends the request, and waits for the complete result.
 * @throws {ApiFailure} if the gateway rejects the request
 * @throws {NoAnswer} if there is no response
 * @throws {DOMException} if `signal` is aborted
 */
export async function requestMedia(
  client: GatewayClient,
  draft: MediaDraft,
  signal: AbortSignal,
): Promise<MediaResult> {
  const { kind } = draft;
  const { path, body } = requestsOf[kind](draft);
  const response = await client.open(path, body, signal);
  const generationId = response.headers.get('x-generation-id') ?? undefined;
  if (kind === 'speech') return { kind, generationId, url: URL.createObjectURL(await response.blob()) };
  const answer = parseExactJson(await response.text()) as { text?: string; data?: DrawnImage[] };
  if (kind === 'transcription') return { kind, generationId, text: answer.text ?? '' };
  const { b64_json: base64 = '', media_type: mediaType = 'image/png' } = answer.data?.[0] ?? {};
  return { kind, generationId, url: `data:${mediaType};base64,${base64}` };
}

interface DrawnImage {
  b64_json?: string;
  media_type?: string;
}

const requestsOf: Record<MediaKind, (draft: MediaDraft) => { path: string; body: object }> = {
  image: ({ model, text }) => ({ path: '/images', body: { model, prompt: text } }),
  speech: ({ model, text, voice }) => ({
    path: '/audio/speech',
    body: { model, input: text, ...(voice === '' ? {} : { voice }), response_format: 'mp3' },
  }),
  transcription: ({ model, recording }) => {
    const body = new FormData();
    body.set('model', model);
    if (recording) body.set('file', recording);
    return { path: '/audio/transcriptions', body };
  },
};
