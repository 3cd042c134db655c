/** Transcription with ElevenLabs, which reports the length of the recording. */

import { isRecord, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { TranscriptionCodec } from './codec.ts';
import { formRequest } from './form-request.ts';
import { secondsIn, spokenPartsIn, segmentsOfParts, transcriptText } from './read-parts.ts';

export const elevenlabsTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'aac'],
  reportsSeconds: true,
  maxTemperature: 2,
  requestFor({ languages: [language], keywords, temperature, needsTimes, recording }, { upstreamModel }) {
    return formRequest(
      '/v1/speech-to-text',
      [
        ['model_id', upstreamModel],
        ['timestamps_granularity', needsTimes ? 'word' : 'none'],
        ['tag_audio_events', false],
        language !== undefined && ['language_code', language],
        ...keywords.map((word) => ['keyterms', word] as const),
        temperature !== undefined && ['temperature', temperature],
      ],
      recording,
    );
  },
  transcriptIn(body) {
    const { text, language_code: language, language_probability, words, audio_duration_secs } = recordOrEmpty(body);
    // Parts of other types are white space and sounds, whose times may be null.
    const spoken = Array.isArray(words) ? words.filter((word) => !isRecord(word) || word['type'] === 'word') : words;
    const parts = spokenPartsIn(spoken, { text: 'text', speaker: 'speaker_id' });
    return {
      text: transcriptText(text),
      language: typeof language === 'string' ? language : undefined,
      seconds: secondsIn(audio_duration_secs),
      segments: segmentsOfParts(parts),
      words: parts,
      probabilities: {
        language: numberIn(language_probability),
        words: Array.isArray(spoken) ? spoken.map((word) => numberIn(recordOrEmpty(word)['logprob'])) : [],
      },
    };
  },
  readUsage(body) {
    const seconds = secondsIn(recordOrEmpty(body)['audio_duration_secs']);
    return seconds === undefined ? undefined : { audio_seconds: Math.ceil(seconds), input_tokens: 0, output_tokens: 0 };
  },
};

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
