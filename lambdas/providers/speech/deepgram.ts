/** Text to speech with Deepgram. Voice and format are parameters of the URL: the voice is part of the model's name. */

import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { soundIn } from './sound.ts';

const deepgramFormats: Record<SpeechFormat, Record<string, string>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { encoding: 'linear16', container: 'wav', sample_rate: '24000' },
  pcm: { encoding: 'linear16', container: 'none', sample_rate: '24000' },
};

export const deepgramSpeech: SpeechCodec = {
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  requestFor({ text, voice, format }, { upstreamModel }) {
    const name = voiceId(voice);
    const model = name.startsWith(`${upstreamModel}-`) ? name : `${upstreamModel}-${name}`;
    const query = new URLSearchParams({ model, ...deepgramFormats[format] });
    return jsonRequest(`/v1/speak?${query.toString()}`, { text });
  },
  decode: (response) => soundIn(response),
};
