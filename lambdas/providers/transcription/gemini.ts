/** Transcription with a Gemini model that accepts audio, and answers with the text only. */

import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { geminiRefusal, reasonName } from '../google-gemini/finish-reason.ts';
import { storeField } from '../google-gemini/store-field.ts';
import { withGeminiTier } from '../google-gemini/usage.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { jsonRequest } from '../json-request.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { TranscriptionCodec, TranscriptionTask } from './codec.ts';
import { recordingMediaType } from './formats.ts';
import { malformedTranscript } from './read-parts.ts';

export const geminiTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'ogg', 'aac', 'm4a'],
  // Source: https://ai.google.dev/gemini-api/docs/audio
  tokensPerSecond: 32,
  reportsSeconds: false,
  maxTemperature: 2,
  requestFor(task, { upstreamModel, maxOutputTokens, quirks }) {
    const { recording, temperature } = task;
    const inlineData = { mimeType: recordingMediaType(recording.format), data: recording.bytes.toString('base64') };
    return jsonRequest(`/models/${upstreamModel}:generateContent`, {
      contents: [{ role: 'user', parts: [{ inlineData }, { text: instructionsOf(task) }] }],
      generationConfig: {
        ...(temperature === undefined ? {} : { temperature }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      },
      ...storeField(quirks),
    });
  },
  transcriptIn(body) {
    const refusal = geminiRefusal(body);
    if (refusal !== undefined) throw new UpstreamError('refused', `The model refused the recording: ${refusal}`);
    const { candidates } = recordOrEmpty(body);
    const { content, finishReason: reason } = recordOrEmpty(listOrEmpty(candidates)[0]);
    if (reason === 'MAX_TOKENS') throw new UpstreamError('broken', 'The provider ended its transcript before the end');
    if (reason !== 'STOP') throw malformedTranscript(`no transcript, with the reason ${reasonName(reason)}`);
    const { parts } = recordOrEmpty(content);
    const texts = listOrEmpty(parts)
      .filter(isRecord)
      .filter(({ thought }) => thought !== true);
    const text = texts.map(({ text: part }) => (typeof part === 'string' ? part : '')).join('');
    return { text: text.trim(), segments: [], words: [] };
  },
  readUsage(body) {
    const usage = recordOrEmpty(recordOrEmpty(body)['usageMetadata']);
    const { promptTokenCount: prompt, candidatesTokenCount, thoughtsTokenCount, promptTokensDetails } = usage;
    if (typeof prompt !== 'number') return undefined;
    // Tokens that are not stated to be text count as audio.
    const details = listOrEmpty(promptTokensDetails).map(recordOrEmpty);
    const tokensOf = (kind: string) => details.find(({ modality }) => modality === kind)?.['tokenCount'];
    const heard = countOrAbsent(tokensOf('AUDIO')) ?? Math.max(0, prompt - tokenCountOf(tokensOf('TEXT')));
    const audio = Math.min(heard, prompt);
    const thinking = tokenCountOf(thoughtsTokenCount);
    const counts = {
      input_tokens: prompt - audio,
      audio_input_tokens: audio,
      output_tokens: tokenCountOf(candidatesTokenCount) + thinking,
      ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
    };
    return withGeminiTier(counts, usage);
  },
};

function instructionsOf({ languages, prompt, keywords, translates }: TranscriptionTask): string {
  return [
    translates
      ? 'Translate the speech in this recording into English.'
      : 'Transcribe the speech in this recording word for word, in the language that is spoken.',
    'Answer with nothing but the text, without times, names of speakers and comments. Without speech, answer with nothing.',
    languages.length > 0 ? `Languages: ${languages.join(', ')}.` : '',
    keywords.length > 0 ? `Words that may occur: ${keywords.join(', ')}.` : '',
    prompt === undefined ? '' : `About the recording: ${prompt}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function tokenCountOf(value: unknown): number {
  return countOrAbsent(value) ?? 0;
}
