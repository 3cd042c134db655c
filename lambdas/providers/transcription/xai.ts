/** Transcription with xAI: Grok STT 1.0. Its API has no field `model`. The file must be the form's last part. */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { TranscriptionCodec } from './codec.ts';
import { formRequest } from './form-request.ts';
import { spokenPartsIn, secondsIn, segmentsOfParts, transcriptText } from './read-parts.ts';

export const xaiTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'aac'],
  reportsSeconds: true,
  requestFor: ({ languages: [language], keywords, recording }) =>
    formRequest(
      '/stt',
      [
        // The provider writes numbers as digits only if the language is known.
        ...(language === undefined
          ? []
          : ([
              ['format', true],
              ['language', language],
            ] as const)),
        ...keywords.map((word) => ['keyterm', word] as const),
      ],
      recording,
    ),
  transcriptIn(body) {
    const { text, language, duration, words } = recordOrEmpty(body);
    const spoken = spokenPartsIn(words, { text: 'text', speaker: 'speaker' });
    return {
      text: transcriptText(text),
      language: typeof language === 'string' && language !== '' ? language : undefined,
      seconds: secondsIn(duration),
      segments: segmentsOfParts(spoken),
      words: spoken,
    };
  },
  readUsage(body) {
    const seconds = secondsIn(recordOrEmpty(body)['duration']);
    return seconds === undefined ? undefined : { audio_seconds: Math.ceil(seconds), input_tokens: 0, output_tokens: 0 };
  },
};
