/** Speech of Mistral, as events with the names of OpenAI's. Its raw sound has 32-bit floats, so `pcm` is cut from WAV. */

import { jsonEvents } from '../http/json-events.ts';
import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { MAX_SOUND_EVENT_BYTES, soundOfEvents } from './openai.ts';
import { SOUND_HEADER_BYTES, withoutFirstBytes } from './sound.ts';

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
    // Its counted tokens are samples of the sound, which have no price.
    const parts = soundOfEvents(jsonEvents(body, MAX_SOUND_EVENT_BYTES), {
      field: 'audio_data',
      usageOf: () => undefined,
    });
    return format === 'pcm' ? withoutFirstBytes(SOUND_HEADER_BYTES, parts) : parts;
  },
};
