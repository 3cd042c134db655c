/** Text to speech with ElevenLabs. The voice is part of the URL. */

import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { jsonRequest } from '../json-request.ts';
import { voiceId, type SpeechCodec } from './codec.ts';
import { soundIn, withHeader } from './sound.ts';
import { wavHeader } from '../../platform/wav-header.ts';

const elevenlabsFormats: Partial<Record<SpeechFormat, string>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_128',
  pcm: 'pcm_24000',
  // ElevenLabs streams no WAV files, so the gateway adds the header.
  wav: 'pcm_24000',
};

export const elevenlabsSpeech: SpeechCodec = {
  formats: ['mp3', 'opus', 'wav', 'pcm'],
  requestFor({ text, voice, format, speed, voice_settings: settings, ...task }, { upstreamModel }) {
    const { seed, language_code, previous_text, next_text, output_format = elevenlabsFormats[format] } = task;
    return jsonRequest(
      `/v1/text-to-speech/${encodeURIComponent(voiceId(voice))}/stream?output_format=${output_format}`,
      {
        text,
        model_id: upstreamModel,
        seed,
        language_code,
        previous_text,
        next_text,
        voice_settings: speed === undefined ? settings : { ...settings, speed },
      },
    );
  },
  decode: (response, { format }) =>
    format === 'wav' ? withHeader(wavHeader(24_000), soundIn(response)) : soundIn(response),
};
