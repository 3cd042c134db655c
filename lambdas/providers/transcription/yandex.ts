/** Synchronous transcription with Yandex SpeechKit (API v1): short mono recordings, without times or usage. */

import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { TranscriptionCodec } from './codec.ts';
import { localeOf } from './locales.ts';
import { transcriptText } from './read-parts.ts';

const sampleRates = [48_000, 16_000, 8_000];

export const yandexTranscription: TranscriptionCodec = {
  formats: ['wav', 'ogg'],
  reportsSeconds: false,
  requestFor({ languages: [language], recording }, { upstreamModel }) {
    const { format, samples, bytes } = recording;
    const query = new URLSearchParams({
      topic: upstreamModel,
      ...(language === undefined ? {} : { lang: localeOf(language) }),
    });
    query.set('format', format === 'ogg' ? 'oggopus' : 'lpcm');
    const path = () => `/speech/v1/stt:recognize?${query.toString()}`;
    if (format === 'ogg') return { path: path(), headers: {}, body: bytes };
    if (samples?.channels !== 1 || !sampleRates.includes(samples.sampleRate)) {
      throw invalidRequest(
        'file',
        `as WAV must have one channel of 16 bits, at ${sampleRates.join(', ')} Hz for this model`,
      );
    }
    query.set('sampleRateHertz', String(samples.sampleRate));
    return { path: path(), headers: {}, body: samples.bytes };
  },
  transcriptIn: (body) => ({ text: transcriptText(recordOrEmpty(body)['result']), segments: [], words: [] }),
  readUsage: () => undefined,
};
