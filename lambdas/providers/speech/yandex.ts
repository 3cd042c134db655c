/** Text to speech with Yandex SpeechKit, API v1, which accepts form data. */

import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { soundIn, withHeader } from './sound.ts';
import { wavHeader } from '../../platform/wav-header.ts';

const YANDEX_SAMPLE_RATE = 48_000;

const yandexFormats: Partial<Record<SpeechFormat, Record<string, string>>> = {
  mp3: { format: 'mp3' },
  opus: { format: 'oggopus' },
  // SpeechKit has no raw audio at 24 kHz, so `pcm` is not offered. The header of the WAV file states the rate.
  wav: { format: 'lpcm', sampleRateHertz: String(YANDEX_SAMPLE_RATE) },
};

/** Languages of the voices that do not speak Russian. */
const voiceLanguages: Readonly<Record<string, string>> = {
  lea: 'de-DE',
  john: 'en-US',
  naomi: 'he-IL',
  amira: 'kk-KK',
  madi: 'kk-KK',
  saule: 'kk-KK',
  zhanar: 'kk-KK',
  nigora: 'uz-UZ',
  lola: 'uz-UZ',
  yulduz: 'uz-UZ',
};

export const yandexSpeech: SpeechCodec = {
  formats: ['mp3', 'opus', 'wav'],
  requestFor({ text, voice, format, speed }) {
    const name = voiceId(voice);
    const form = new URLSearchParams({
      text,
      voice: name,
      lang: voiceLanguages[name] ?? 'ru-RU',
      ...yandexFormats[format],
      ...(speed === undefined ? {} : { speed: String(speed) }),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { path: '/speech/v1/tts:synthesize', headers, body: form.toString() };
  },
  decode: (response, { format }) =>
    format === 'wav' ? withHeader(wavHeader(YANDEX_SAMPLE_RATE), soundIn(response)) : soundIn(response),
};
