/** Transcription and translation with OpenAI's API, which Groq and Mistral offer with small differences. */

import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { WireUsage } from '../../messages/types.ts';
import { countOrAbsent, isCount } from '../../messages/usage-counts.ts';
import type { SegmentDecoding, TranscriptDelta, TranscriptionCodec } from './codec.ts';
import { jsonEvents } from '../http/json-events.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { StreamPart } from '../batch-engine.ts';
import { isOtherEvent } from '../other-event.ts';
import { formRequest } from './form-request.ts';
import { spokenPartsIn, secondsIn, segmentsOfParts, textTokens, transcriptText } from './read-parts.ts';

/** Maximum size of an event in bytes. The last event contains the complete text. */
const MAX_TRANSCRIPT_EVENT_BYTES = 16 * 1024 * 1024;

const DECODED_NUMBERS = ['seek', 'temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob'] as const;

export const openaiTranscription: TranscriptionCodec = {
  formats: ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm'],
  // One token per 100 ms of audio from a user: https://developers.openai.com/api/docs/guides/realtime-costs.
  tokensPerSecond: 10,
  reportsSeconds: true,
  requestFor(task, { upstreamModel, quirks, supportedParameters }) {
    const { prompt, temperature, languages, keywords, needsTimes, translates, streams, recording } = task;
    const lists = supportedParameters.includes('languages');
    const isMistral = quirks.transcription_form === 'mistral';
    return formRequest(
      translates ? '/audio/translations' : '/audio/transcriptions',
      [
        ['model', upstreamModel],
        // Mistral has only one response format, and accepts one granularity per request.
        !isMistral && ['response_format', needsTimes ? 'verbose_json' : 'json'],
        ...(needsTimes && !translates ? granularityFields(isMistral) : []),
        ...(translates ? [] : languages.map((code) => [lists ? 'languages[]' : 'language', code] as const)),
        prompt !== undefined && ['prompt', prompt],
        ...keywords.map((word, index) => (isMistral ? biasOf(word, index) : (['keywords[]', word] as const))),
        temperature !== undefined && ['temperature', temperature],
        streams && ['stream', true],
      ],
      recording,
    );
  },
  decode: ({ body }) => deltasIn(jsonEvents(body, MAX_TRANSCRIPT_EVENT_BYTES)),
  transcriptIn(body) {
    const { text, language, duration, segments, words } = recordOrEmpty(body);
    const spoken = spokenPartsIn(words, { text: 'word', speaker: 'speaker' });
    const given = spokenPartsIn(segments, { text: 'text', speaker: 'speaker_id' }).map((segment, index) => ({
      ...segment,
      decoding: decodingIn(recordOrEmpty((segments as unknown[])[index])),
    }));
    return {
      text: transcriptText(text),
      language: typeof language === 'string' ? language : undefined,
      seconds: durationIn(duration),
      segments: given.length > 0 ? given : segmentsOfParts(spoken),
      words: spoken,
    };
  },
  readUsage: (body) => transcriptUsageIn(recordOrEmpty(body)),
};

/** Returns the values of Whisper's decoder that a segment has. */
function decodingIn(segment: Record<string, unknown>): Partial<SegmentDecoding> {
  const { tokens } = segment;
  const numbers = DECODED_NUMBERS.filter((name) => Number.isFinite(segment[name]));
  return {
    ...Object.fromEntries(numbers.map((name) => [name, segment[name]])),
    ...(Array.isArray(tokens) && tokens.every(Number.isInteger) ? { tokens } : {}),
  };
}

/**
 * Returns the form field of Mistral for a keyword.
 * @throws {GatewayError} 400 for a comma, which Mistral does not accept
 */
function biasOf(word: string, index: number): readonly [string, string] {
  if (word.includes(',')) throw invalidRequest(`keywords.${index}`, 'may not have a comma for this model');
  return ['context_bias', word.trim().replaceAll(/\s+/g, '_')];
}

function granularityFields(isMistral: boolean): (readonly [string, string])[] {
  const names = ['segment', 'word'];
  return isMistral
    ? [['timestamp_granularities', 'segment']]
    : names.map((name) => ['timestamp_granularities[]', name]);
}

/** Returns the reported seconds or tokens, or else the duration, which some servers report outside of the usage. */
function transcriptUsageIn({ usage, duration }: Record<string, unknown>): WireUsage | undefined {
  const counts = recordOrEmpty(usage);
  const seconds = secondsIn(counts['seconds'] ?? counts['prompt_audio_seconds']);
  return secondsUsage(seconds) ?? tokensIn(counts) ?? secondsUsage(durationIn(duration));
}

/** Returns a duration, which older versions of vLLM write as text (https://github.com/vllm-project/vllm/issues/49068). */
function durationIn(value: unknown): number | undefined {
  return secondsIn(typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value);
}

function secondsUsage(seconds: number | undefined): WireUsage | undefined {
  return seconds === undefined ? undefined : { audio_seconds: Math.ceil(seconds), input_tokens: 0, output_tokens: 0 };
}

/** Reads tokens. OpenAI's details of the prompt are optional. Tokens that are not stated to be text count as audio. */
function tokensIn(usage: Record<string, unknown>): WireUsage | undefined {
  const { input_tokens: input, output_tokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const { audio_tokens: audio, text_tokens: text } = recordOrEmpty(usage['input_token_details']);
  const heard = countOrAbsent(audio) ?? input - (countOrAbsent(text) ?? 0);
  const audioTokens = Math.max(0, Math.min(heard, input));
  return { input_tokens: input - audioTokens, audio_input_tokens: audioTokens, output_tokens: output };
}

/**
 * Yields the texts and the usage of a stream's events, or of the document with which some servers respond.
 * @throws {UpstreamError} if the stream has no last event, or an event lacks its text
 */
async function* deltasIn(events: AsyncIterable<unknown>): AsyncGenerator<StreamPart<TranscriptDelta>, void> {
  let hasText = false;
  for await (const event of events) {
    const fields = recordOrEmpty(event);
    const { type, delta, text } = fields;
    const isLast = type === 'transcript.text.done' || (type === undefined && typeof text === 'string');
    if (type === 'transcript.text.delta' || (isLast && !hasText)) {
      hasText = true;
      yield deltaPart(transcriptText(isLast ? text : delta));
    } else if (!isLast && !isOtherEvent(event)) {
      yield { error: event };
      return;
    }
    if (isLast) {
      const reported = transcriptUsageIn(fields);
      if (reported) yield { usage: reported };
      return;
    }
  }
  throw new UpstreamError('broken', 'The provider ended its transcript without a last event');
}

function deltaPart(delta: string): StreamPart<TranscriptDelta> {
  return { event: { delta }, estimatedTokens: textTokens(delta) };
}
