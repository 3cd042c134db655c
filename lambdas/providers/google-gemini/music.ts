/**
 * Music of Google's Lyria models: one answer with the lyrics as text, and the song as MP3. Source:
 * https://ai.google.dev/gemini-api/docs/generate-content/music-generation
 */

import type { Delta, MessagesRequest } from '../../messages/types.ts';
import { isBase64 } from '../../platform/base64.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { asText } from '../shapes.ts';
import type { BlockWriter } from '../translated/block-writer.ts';
import { newAudioId } from '../translated/spoken-answer.ts';
import { encodeGeminiRequest } from './encode.ts';
import type { GeminiPart } from './parts.ts';
import type { GeminiTarget } from './target.ts';

/** Matches the beginning of an MP3 file in base64: an ID3 tag, or the sync bits of a frame. */
const MP3_BASE64 = /^(?:SUQz|\/[/+])/;
/** Maximum base64 characters of one event. Some clients limit the length of a line in a stream. */
const PIECE_CHARACTERS = 48 * 1024;

/** Whether a request is for music. On this wire, answers have no other audio. */
export function makesMusic({ modalities }: MessagesRequest): boolean {
  return modalities?.includes('audio') === true;
}

/**
 * Returns the body of a request for music: one turn, which begins with the system texts. A song has no length in
 * tokens. Google documents no stream for music, so the path is `generateContent`.
 * @throws {GatewayError} 400 for a voice, a format other than MP3, documents, audio, or more than one turn
 */
export function encodeMusicRequest(requested: MessagesRequest, target: GeminiTarget): object {
  const { max_tokens: _, ...request } = requested;
  const { contents, systemInstruction: system, ...rest } = encodeGeminiRequest(request, target);
  const { audio } = request;
  if (audio?.voice) throw invalidRequest('audio.voice', 'has no effect on music; leave it out');
  if (audio && audio.format !== 'mp3') throw invalidRequest('audio.format', 'must be "mp3" on this model');
  const [turn, ...others] = contents;
  if (others.length > 0 || turn!.parts.some(isDocument)) {
    throw invalidRequest('messages', 'must be one prompt of text and images, because music cannot be continued');
  }
  return { ...rest, contents: [{ role: 'user', parts: [...(system?.parts ?? []), ...turn!.parts] }] };
}

function isDocument({ inlineData, fileData }: GeminiPart): boolean {
  return (inlineData ?? fileData)?.mimeType.startsWith('image/') === false;
}

/** Writes a song as one block of audio, whose transcript is the lyrics. */
export class Song {
  readonly #blocks: BlockWriter;
  hasAudio = false;
  /** Last bytes of the audio in padded base64, which cannot be written before the rest of the audio. */
  #tail = '';
  /** Lyrics that arrived before the audio. */
  #lyrics = '';

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  text(text: string): void {
    if (text === '') return;
    if (this.hasAudio) this.#write([{ type: 'transcript_delta', transcript: `\n${text}` }]);
    else this.#lyrics += this.#lyrics === '' ? text : `\n${text}`;
  }

  /**
   * Writes a piece of the audio.
   * @throws {UpstreamError} if the data is not base64, or the first piece is not the beginning of an MP3 file
   */
  audio(inline: Record<string, unknown>): void {
    let data = asText(inline['data']);
    const isMp3 = this.hasAudio || MP3_BASE64.test(data);
    if (!asText(inline['mimeType']).startsWith('audio/') || !isMp3 || !isBase64(data)) {
      throw new UpstreamError('malformed', 'The provider sent music in an unknown form');
    }
    if (this.#tail !== '') {
      data = Buffer.concat([Buffer.from(this.#tail, 'base64'), Buffer.from(data, 'base64')]).toString('base64');
    }
    this.#tail = data.endsWith('=') ? data.slice(-4) : '';
    data = data.slice(0, data.length - this.#tail.length);
    const deltas: Delta[] = [];
    if (!this.hasAudio && this.#lyrics !== '') deltas.push({ type: 'transcript_delta', transcript: this.#lyrics });
    for (let at = 0; at < data.length; at += PIECE_CHARACTERS) {
      deltas.push({ type: 'audio_delta', data: data.slice(at, at + PIECE_CHARACTERS) });
    }
    this.#write(deltas);
    this.hasAudio = true;
  }

  /**
   * Ends the answer. If an incomplete answer has no song, its text becomes a text block, because it may explain a
   * refusal.
   * @throws {UpstreamError} if a complete answer has no song (https://github.com/openclaw/openclaw/issues/103318)
   */
  end(isComplete: boolean): void {
    if (this.hasAudio) {
      if (this.#tail !== '') this.#write([{ type: 'audio_delta', data: this.#tail }]);
      return;
    }
    if (isComplete) throw new UpstreamError('broken', 'The provider ended its answer without a song');
    this.#blocks.text(this.#lyrics);
  }

  #write(deltas: readonly Delta[]): void {
    // Each block with a `piece` is charged, so only the first block has it.
    const piece = this.hasAudio ? undefined : 'songs';
    this.#blocks.media({ type: 'audio', id: newAudioId(), data: '', transcript: '', piece }, deltas);
  }
}
