/** Text to speech with SaluteSpeech. The request's body is the text, and a voice's name ends with its sample rate. */

import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { soundIn } from './sound.ts';

const saluteFormats: Partial<Record<SpeechFormat, string>> = { opus: 'opus', wav: 'wav16', pcm: 'pcm16' };
const PCM_VOICE = /_24000$/;

export const saluteSpeech: SpeechCodec = {
  formats: ['opus', 'wav', 'pcm'],
  requestFor({ text, voice, format }) {
    const name = voiceId(voice);
    if (format === 'pcm' && !PCM_VOICE.test(name)) {
      throw invalidRequest('voice', 'must end with "_24000" for "pcm", which has 24 kHz');
    }
    const query = new URLSearchParams({ format: saluteFormats[format]!, voice: name });
    const headers = { 'content-type': 'application/text' };
    return { path: `/rest/v1/text:synthesize?${query.toString()}`, headers, body: text };
  },
  decode: (response) => soundIn(response),
};
