/** Text to speech with Mistral. Its raw audio has 32-bit floats, so `pcm` is cut from a WAV file. */

import { jsonEvents } from '../http/json-events.ts';
import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { MAX_SOUND_EVENT_BYTES, soundOfEvents } from './openai.ts';
import { samplesOfWav } from './sound.ts';

export const mistralSpeech: SpeechCodec = {
  formats: ['mp3', 'opus', 'flac', 'wav', 'pcm'],
  requestFor: ({ text, voice, format }, { upstreamModel }) =>
    jsonRequest('/audio/speech', {
      model: upstreamModel,
      input: text,
      voice_id: voiceId(voice),
      response_format: format === 'pcm' ? 'wav' : format,
      stream: true,
    }),
  decode({ body }, { format }) {
    // The tokens that Mistral reports are audio samples, which have no price.
    const parts = soundOfEvents(jsonEvents(body, MAX_SOUND_EVENT_BYTES), {
      field: 'audio_data',
      usageOf: () => undefined,
    });
    return format === 'pcm' ? samplesOfWav(parts) : parts;
  },
};
