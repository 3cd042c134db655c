const WAV_HEADER_BYTES = 44;
const SAMPLES_PER_SECOND = 24_000;
const BYTES_PER_SAMPLE = 2;

/** Returns a WAV file of 16-bit mono at 24 kHz. @param pcm the samples, in base64 */
export function inWav(pcm: string): string {
  const samples = Buffer.from(pcm, 'base64');
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0);
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(SAMPLES_PER_SECOND * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]).toString('base64');
}
