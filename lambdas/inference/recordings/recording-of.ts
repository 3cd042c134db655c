import type { Recording } from '../../providers/transcription/codec.ts';
import type { TranscriptionBody } from '../modalities/transcription-schema.ts';
import { fetchRecording, MAX_RECORDING_BYTES, recordingTooLarge } from './fetch-recording.ts';
import { readRecording } from './read-recording.ts';

/**
 * Returns the recording of a request, from its form, as Base64, or from its URL.
 * @throws {GatewayError} 400 for a file that is not a recording or cannot be fetched, 413 for a file that is too large
 */
export async function recordingOf(
  { file, input_audio: inline, url }: TranscriptionBody,
  clientLeft: AbortSignal | undefined,
): Promise<Recording> {
  if (url) return readRecording(await fetchRecording(url, clientLeft), 'url');
  const bytes = file?.bytes ?? Buffer.from(inline!.data, 'base64');
  if (bytes.length > MAX_RECORDING_BYTES) throw recordingTooLarge();
  return readRecording(bytes, file ? 'file' : 'input_audio');
}
