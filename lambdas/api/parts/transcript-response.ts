/** Builds the response in the format that the client requested. */

import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import type { Answered } from '../../inference/modalities/answer.ts';
import { transcriptUsage } from '../../inference/modalities/transcript-events.ts';
import type { TranscriptionBody } from '../../inference/modalities/transcription-schema.ts';
import type { Money } from '../../money/money.ts';
import type { Transcript, TranscriptPart } from '../../providers/transcription/codec.ts';
import type { TranscriptAnswer } from './transcripts/shape.ts';

interface TranscriptToShow extends Answered<Transcript> {
  body: TranscriptionBody;
  cost: { cost?: Money };
}

/**
 * Returns the function that builds responses.
 * @param task the task of the route, by its name in OpenAI's API
 */
export function transcriptResponse(task: 'transcribe' | 'translate') {
  return (answer: TranscriptToShow): HttpResponse => {
    const { result, body } = answer;
    switch (body.response_format) {
      case 'text':
        return textResponse(`${result.text}\n`);
      case 'srt':
        return textResponse(subRip(result.segments));
      case 'vtt':
        return textResponse(webVtt(result.segments));
      default:
        return jsonResponse<TranscriptAnswer>(200, {
          ...(body.response_format === 'verbose_json' ? verboseParts(answer, task) : {}),
          text: result.text,
          usage: transcriptUsage(answer.charged, answer.cost),
        });
    }
  };
}

function textResponse(body: string): HttpResponse {
  const headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'text/plain; charset=utf-8',
  };
  return { statusCode: 200, headers, body };
}

/** Default values of fields that clients require, even if the provider reports none. */
const UNKNOWN_DECODING = { seek: 0, tokens: [], avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 };

function verboseParts({ result, body }: TranscriptToShow, task: 'transcribe' | 'translate') {
  const { language, seconds, segments, words } = result;
  const names = [...new Set([...segments, ...words].flatMap(({ speaker }) => speaker ?? []))];
  // Clients of OpenRouter's API require a number for each speaker.
  const numbered = <Part extends TranscriptPart>({ speaker, ...part }: Part) => ({
    ...part,
    ...(speaker === undefined ? {} : { speaker: names.indexOf(speaker) }),
  });
  const granularities = body.timestamp_granularities ?? [];
  return {
    task,
    language: task === 'translate' ? 'english' : (language ?? body.language ?? ''),
    duration: seconds ?? segments.at(-1)?.end ?? 0,
    ...(granularities.length === 0 || granularities.includes('segment')
      ? {
          segments: segments.map(({ decoding, ...segment }, id) => ({
            id,
            ...numbered(segment),
            ...UNKNOWN_DECODING,
            temperature: body.temperature ?? 0,
            ...decoding,
          })),
        }
      : {}),
    ...(granularities.includes('word')
      ? { words: words.map(numbered).map(({ text, ...times }) => ({ word: text, ...times })) }
      : {}),
  };
}

function subRip(segments: readonly TranscriptPart[]): string {
  const cues = segments.map(
    ({ text, start, end }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${cueText(text)}\n`,
  );
  return cues.join('\n');
}

function webVtt(segments: readonly TranscriptPart[]): string {
  const cues = segments.map(
    ({ text, start, end }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${cueText(text)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** Returns a text in one line, without the arrow that separates the times of a cue. */
function cueText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('-->', '->');
}

const digits = (value: number, length = 2) => String(value).padStart(length, '0');

/** Returns a time of a recording, such as 00:01:02.500. */
function clock(seconds: number, separator: string): string {
  const all = Math.round(seconds * 1_000);
  const [ms, s, m, h] = [
    all % 1_000,
    Math.floor(all / 1_000) % 60,
    Math.floor(all / 60_000) % 60,
    Math.floor(all / 3_600_000),
  ];
  return `${digits(h)}:${digits(m)}:${digits(s)}${separator}${digits(ms, 3)}`;
}
