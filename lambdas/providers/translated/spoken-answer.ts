import { randomUUID } from 'node:crypto';
import type { Delta } from '../../messages/types.ts';
import type { BlockWriter } from './block-writer.ts';

/** A piece of a spoken answer. Any of its members may be empty. */
export interface SpokenPiece {
  id: string;
  data: string;
  transcript: string;
  /** Time at which the provider deletes the audio, in seconds since 1970; undefined if the piece has none. */
  expiresAt: number | undefined;
}

/** Returns an id for audio. Clients need an id, although the gateway accepts none in later requests. */
export function newAudioId(): string {
  return `audio_${randomUUID().replaceAll('-', '')}`;
}

/**
 * Writes a spoken answer as one block. Clients decode each piece of base64 by itself, so each piece consists of
 * complete groups of four characters.
 */
export class SpokenAnswer {
  readonly #blocks: BlockWriter;
  /** Incomplete group at the end of the last piece: up to three characters. */
  #rest = '';

  constructor(blocks: BlockWriter) {
    this.#blocks = blocks;
  }

  add({ id, data, transcript, expiresAt }: SpokenPiece): void {
    const deltas: Delta[] = [];
    if (transcript !== '') deltas.push({ type: 'transcript_delta', transcript });
    const whole = this.#wholeGroups(data);
    if (whole !== '') deltas.push({ type: 'audio_delta', data: whole });
    if (expiresAt !== undefined) deltas.push({ type: 'audio_end_delta', expires_at: expiresAt });
    const block = {
      type: 'audio' as const,
      id: id || newAudioId(),
      data: '',
      transcript: '',
    };
    this.#blocks.media(block, deltas);
  }

  #wholeGroups(data: string): string {
    const sent = this.#rest + data;
    const end = sent.length - (sent.length % 4);
    this.#rest = sent.slice(end);
    return sent.slice(0, end);
  }
}
