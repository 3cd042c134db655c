/**
 * Determines the format and the length of a recording from its bytes, before money is held. The length comes from the
 * packets or samples in the file, not from its header. If the length is not plausible for the size of the file, the
 * size alone bounds the length.
 *
 * Weakness: in MP4 and WebM, the file itself states the lengths of packets, and may be wrong. If a provider then
 * reports more seconds, the client pays for the bound, and an alarm reports the usage.
 */

import { recordingFormats, type RecordingFormat } from '../../catalog/quirk-values.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Recording } from '../../providers/transcription/codec.ts';
import { frameSeconds } from './frame-seconds.ts';
import { sniffRecording, withoutTag } from './sniff-recording.ts';
import { waveSamples } from './wave-samples.ts';

/** Assumed bit rates of audio in bits per second, with a margin. */
const bitRates: Record<RecordingFormat, { min: number; max: number }> = {
  wav: { min: 6_000, max: 50_000_000 },
  mp3: { min: 8_000, max: 400_000 },
  // The minimum is low, because silence takes only 14 bytes per frame of 4,096 samples.
  flac: { min: 1_000, max: 20_000_000 },
  // The maximum is high, because the container may also contain a video.
  m4a: { min: 6_000, max: 20_000_000 },
  ogg: { min: 6_000, max: 600_000 },
  webm: { min: 6_000, max: 20_000_000 },
  aac: { min: 6_000, max: 600_000 },
};
/** Size in bytes below which tags may be larger than the audio. */
const SMALL_FILE_BYTES = 512 * 1024;

/**
 * Reads the format and the length of a recording.
 * @param field the client's field that contains the recording
 * @throws {GatewayError} 400 for a file that is not a recording in a known format
 */
export async function readRecording(bytes: Buffer, field: string): Promise<Recording> {
  const format = sniffRecording(bytes);
  if (!format) throw invalidRequest(field, `must be a recording in one of the formats ${recordingFormats.join(', ')}`);
  const wave = format === 'wav' ? waveSamples(bytes) : undefined;
  const seconds = wave ? wave.seconds : await secondsOf(bytes, format);
  const maxSeconds = (bytes.length * 8) / bitRates[format].min;
  const isKnown = seconds !== undefined && isPlausible(seconds, bytes.length, format, maxSeconds);
  return {
    bytes,
    format,
    seconds: isKnown ? seconds : undefined,
    maxSeconds: isKnown ? seconds : maxSeconds,
    samples: wave?.samples,
  };
}

function isPlausible(seconds: number, bytes: number, format: RecordingFormat, maxSeconds: number): boolean {
  if (seconds <= 0 || seconds > maxSeconds) return false;
  return (bytes - SMALL_FILE_BYTES) * 8 <= seconds * bitRates[format].max;
}

async function secondsOf(bytes: Buffer, format: RecordingFormat): Promise<number | undefined> {
  if (format === 'mp3' || format === 'aac') return frameSeconds(withoutTag(bytes), format);
  if (format === 'wav') return undefined;
  const { packetSeconds } = await import('./packet-seconds.ts');
  return packetSeconds(bytes);
}
