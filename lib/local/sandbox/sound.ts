import { wavHeader } from '../../../lambdas/platform/wav-header.ts';
import { spokenTextChunk } from './spoken-text.ts';

const SAMPLE_RATE = 24_000;
const TONE_SECONDS = 0.2;
const SAMPLES_PER_WORD = SAMPLE_RATE * TONE_SECONDS;
const TONE_LOUDNESS = 8_000;
const LOWEST_HERTZ = 220;

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, one channel. A frame lasts 26 ms. */
const MP3_HEADER = [0xff, 0xfb, 0x90, 0xc0];
const MP3_FRAME_BYTES = 417;
const MP3_FRAMES_PER_WORD = 8;

/** Returns 16-bit audio of a tone whose pitch depends on the word and the voice. */
export function toneOf(word: string, voice: string): Buffer {
  const letters = Buffer.from(voice + word).reduce((sum, byte) => sum + byte, 0);
  const hertz = LOWEST_HERTZ + (letters % 24) * 20;
  const samples = Buffer.alloc(SAMPLES_PER_WORD * 2);
  for (let at = 0; at < SAMPLES_PER_WORD; at += 1) {
    // A tone that begins and ends at zero has no clicks.
    const envelope = Math.sin((Math.PI * at) / SAMPLES_PER_WORD);
    samples.writeInt16LE(
      Math.round(TONE_LOUDNESS * envelope * Math.sin((2 * Math.PI * hertz * at) / SAMPLE_RATE)),
      at * 2,
    );
  }
  return samples;
}

/** Silent MP3 frames that last about as long as a word. */
export function mp3OfWord(): Buffer {
  const frame = Buffer.alloc(MP3_FRAME_BYTES);
  frame.set(MP3_HEADER);
  return Buffer.concat(Array.from({ length: MP3_FRAMES_PER_WORD }, () => frame));
}

/** Returns a WAV file's bytes before the audio data, with the text hidden in them. */
export function wavHeaderOf(words: number, text: string): Buffer {
  const bytes = words * SAMPLES_PER_WORD * 2;
  return wavHeader(SAMPLE_RATE, { dataBytes: bytes, chunk: spokenTextChunk(text) });
}
