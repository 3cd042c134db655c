/** Transcription with Deepgram. The request's body is the recording itself. */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { TranscriptionCodec } from './codec.ts';
import { recordingMediaType } from './formats.ts';
import { malformedTranscript, spokenPartsIn, secondsIn, segmentsOfParts, transcriptText } from './read-parts.ts';

export const deepgramTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'aac'],
  reportsSeconds: true,
  requestFor({ languages, keywords, recording }, { upstreamModel }) {
    const [language] = languages;
    const query = new URLSearchParams({ model: upstreamModel, smart_format: 'true' });
    // Deepgram assumes English if neither a language nor language detection is requested.
    if (language === undefined) query.set('detect_language', 'true');
    else query.set('language', languages.length > 1 ? 'multi' : language);
    for (const word of keywords) query.append('keyterm', word);
    return {
      path: `/v1/listen?${query.toString()}`,
      headers: { 'content-type': recordingMediaType(recording.format) },
      body: recording.bytes,
    };
  },
  transcriptIn(body) {
    const { results, metadata } = recordOrEmpty(body);
    const { channels } = recordOrEmpty(results);
    if (!Array.isArray(channels) || channels.length === 0) throw malformedTranscript('an answer without channels');
    const { alternatives, detected_language: language } = recordOrEmpty(channels[0]);
    const { transcript, words } = recordOrEmpty(Array.isArray(alternatives) ? alternatives[0] : undefined);
    const text = transcriptText(transcript);
    const spoken = spokenPartsIn(words, { text: 'word' });
    // With smart_format, each word also has the spelling that it has in the text.
    const written = spokenPartsIn(words, { text: hasSpelling(words) ? 'punctuated_word' : 'word' });
    return {
      text,
      language: typeof language === 'string' ? language : undefined,
      seconds: secondsIn(recordOrEmpty(metadata)['duration']),
      segments: segmentsOfParts(written),
      words: spoken,
    };
  },
  readUsage(body) {
    const seconds = secondsIn(recordOrEmpty(recordOrEmpty(body)['metadata'])['duration']);
    return seconds === undefined ? undefined : { audio_seconds: Math.ceil(seconds), input_tokens: 0, output_tokens: 0 };
  },
};

function hasSpelling(words: unknown): boolean {
  return Array.isArray(words) && words.every((word) => typeof recordOrEmpty(word)['punctuated_word'] === 'string');
}
