/** Synchronous transcription with SaluteSpeech: recordings of up to a minute, without times or usage. */

import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { Recording, TranscriptionCodec } from './codec.ts';
import { localeOf } from './locales.ts';
import { malformedTranscript } from './read-parts.ts';

export const saluteTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'ogg'],
  reportsSeconds: false,
  requestFor({ languages: [language], recording }, { upstreamModel }) {
    const query = new URLSearchParams({
      model: upstreamModel,
      ...(language === undefined ? {} : { language: localeOf(language) }),
    });
    return {
      path: `/rest/v1/speech:recognize?${query.toString()}`,
      headers: { 'content-type': contentTypeOf(recording) },
      body: recording.bytes,
    };
  },
  transcriptIn(body) {
    const { result } = recordOrEmpty(body);
    if (!Array.isArray(result) || !result.every((text) => typeof text === 'string')) {
      throw malformedTranscript('an answer without a result');
    }
    return { text: result.join(' ').trim(), segments: [], words: [] };
  },
  readUsage: () => undefined,
};

/**
 * Returns the content type of a recording.
 * @throws {GatewayError} 400 for a WAV file whose samples do not have 16 bits
 */
function contentTypeOf({ format, samples }: Recording): string {
  if (format === 'mp3') return 'audio/mpeg';
  if (format === 'flac') return 'audio/flac';
  if (format === 'ogg') return 'audio/ogg;codecs=opus';
  if (!samples) throw invalidRequest('file', 'as WAV must have samples of 16 bits for this model');
  return `audio/x-pcm;bit=16;rate=${samples.sampleRate}`;
}
