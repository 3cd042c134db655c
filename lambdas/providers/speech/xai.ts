/** Text to speech with xAI, whose API has only one model, and no field for the model. */

import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { soundIn } from './sound.ts';

export const xaiSpeech: SpeechCodec = {
  formats: ['mp3', 'wav', 'pcm'],
  requestFor: ({ text, voice, format, speed }) =>
    jsonRequest('/tts', {
      text,
      voice_id: voiceId(voice),
      language: 'auto',
      output_format: { codec: format, sample_rate: 24_000, ...(format === 'mp3' ? { bit_rate: 128_000 } : {}) },
      ...(speed === undefined ? {} : { speed }),
    }),
  decode: (response) => soundIn(response),
};
