const SAMPLES_PER_SECOND = 24_000;
const WORD_MS = 200;
const LOUDNESS = 8_000;

/** OpenAI counts one token per 50 ms. */
export const TOKENS_PER_SPOKEN_WORD = WORD_MS / 50;

/** Returns 16-bit PCM in base64: a tone whose pitch depends on the length of the word. */
export function spokenWord(word: string): string {
  const samples = (SAMPLES_PER_SECOND * WORD_MS) / 1_000;
  const hertz = 200 + 20 * (word.length % 20);
  const pcm = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at += 1) {
    pcm.writeInt16LE(Math.round(LOUDNESS * Math.sin((2 * Math.PI * hertz * at) / SAMPLES_PER_SECOND)), at * 2);
  }
  return pcm.toString('base64');
}
