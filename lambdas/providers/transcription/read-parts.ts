import { isRecord } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { TranscriptPart } from './codec.ts';

const MAX_SPOKEN_PARTS = 1_000_000;

/**
 * Returns the text of a transcript.
 * @throws {UpstreamError} if the value is not a text
 */
export function transcriptText(value: unknown): string {
  if (typeof value !== 'string') throw malformedTranscript('an answer without a text');
  return value;
}

export function malformedTranscript(what: string): UpstreamError {
  return new UpstreamError('malformed', `The provider sent ${what}`);
}

/** Names of a part's fields in the provider's JSON. */
interface PartNames {
  text: string;
  speaker?: string;
}

/**
 * Reads a list of parts; an absent list is empty.
 * @throws {UpstreamError} for a value that is not a list of texts with their times
 */
export function spokenPartsIn(list: unknown, { text, speaker }: PartNames): TranscriptPart[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.length > MAX_SPOKEN_PARTS)
    throw malformedTranscript('parts of a transcript that are no list');
  return list.map((part: unknown) => {
    const { [text]: words, start, end, ...others } = isRecord(part) ? part : {};
    if (typeof words !== 'string') throw malformedTranscript('a part of a transcript without a text');
    if (!isTime(start) || !isTime(end) || end < start)
      throw malformedTranscript('a part of a transcript without times');
    const by = speaker === undefined ? undefined : others[speaker];
    const isNamed = typeof by === 'string' || typeof by === 'number';
    return { text: words, start, end, ...(isNamed ? { speaker: String(by) } : {}) };
  });
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Returns a duration in seconds; undefined if the value is not a valid time. */
export function secondsIn(value: unknown): number | undefined {
  return isTime(value) ? value : undefined;
}

/** Maximum length of a segment that is built from words, as is usual for subtitles. */
const MAX_SEGMENT_CHARACTERS = 84;
const MAX_SEGMENT_SECONDS = 7;
const MAX_PAUSE_SECONDS = 1;
const SENTENCE_ENDING = /[.!?…。！？]["»”)]?$/;

/** Builds segments, which end after a sentence, at a pause or a change of speakers, or at a maximum length. */
export function segmentsOfParts(words: readonly TranscriptPart[]): TranscriptPart[] {
  const segments: TranscriptPart[] = [];
  let isOpen = false;
  for (const word of words) {
    const last = segments.at(-1);
    const joined = `${last?.text} ${word.text.trim()}`;
    const continues =
      isOpen &&
      last !== undefined &&
      last.speaker === word.speaker &&
      word.start - last.end <= MAX_PAUSE_SECONDS &&
      word.end - last.start <= MAX_SEGMENT_SECONDS &&
      joined.length <= MAX_SEGMENT_CHARACTERS;
    if (continues) Object.assign(last, { text: joined, end: Math.max(last.end, word.end) });
    else segments.push({ ...word, text: word.text.trim() });
    isOpen = !SENTENCE_ENDING.test(word.text.trim());
  }
  return segments;
}

const BYTES_PER_TEXT_TOKEN = 4;

/** Returns the estimated tokens of a text. */
export function textTokens(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TEXT_TOKEN;
}
