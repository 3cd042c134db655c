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
 * Reads a list of parts; an absent list is empty. Whisper's times are predicted: parts may end before they begin
 * (https://github.com/openai/whisper/pull/831). Servers that align words send some words without times
 * (https://github.com/m-bain/whisperX/issues/419). Such a word begins at the end of the previous part.
 * @throws {UpstreamError} for a value that is not a list of texts, or a time that is not a number
 */
export function spokenPartsIn(list: unknown, { text, speaker }: PartNames): TranscriptPart[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list) || list.length > MAX_SPOKEN_PARTS)
    throw malformedTranscript('parts of a transcript that are no list');
  let ended = 0;
  return list.map((part: unknown) => {
    const { [text]: words, start: from, end: to, ...others } = isRecord(part) ? part : {};
    if (typeof words !== 'string') throw malformedTranscript('a part of a transcript without a text');
    const start = timeIn(from) ?? ended;
    const end = Math.max(start, timeIn(to) ?? start);
    ended = end;
    const by = speaker === undefined ? undefined : others[speaker];
    const isNamed = typeof by === 'string' || typeof by === 'number';
    return { text: words, start, end, ...(isNamed ? { speaker: String(by) } : {}) };
  });
}

/**
 * Returns a time of a part, at least 0; undefined if it is absent.
 * @throws {UpstreamError} for a value that is not a number
 */
function timeIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw malformedTranscript('a part of a transcript whose time is not a number');
  }
  return Math.max(0, value);
}

/** Returns a duration in seconds; undefined if the value is not a valid time. */
export function secondsIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Maximum length of a segment that is built from words, as is usual for subtitles. */
const MAX_SEGMENT_CHARACTERS = 84;
const MAX_SEGMENT_SECONDS = 7;
const MAX_PAUSE_SECONDS = 1;
const SENTENCE_ENDING = /[.!?…。！？]["»”)]?$/;
/** Characters of scripts without spaces between words, such as Chinese, Japanese and Thai. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\uff01-\uff65]`;
const UNSPACED_END = new RegExp(`${UNSPACED}$`, 'u');
const UNSPACED_START = new RegExp(`^${UNSPACED}`, 'u');

/** Builds segments, which end after a sentence, at a pause or a change of speakers, or at a maximum length. */
export function segmentsOfParts(words: readonly TranscriptPart[]): TranscriptPart[] {
  const segments: TranscriptPart[] = [];
  let isOpen = false;
  for (const word of words) {
    const last = segments.at(-1);
    const joined = joinedWords(last?.text ?? '', word.text.trim());
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

/** Joins words with a space, except within a script without spaces (https://github.com/m-bain/whisperX/pull/440). */
function joinedWords(text: string, word: string): string {
  return UNSPACED_END.test(text) && UNSPACED_START.test(word) ? text + word : `${text} ${word}`;
}

const BYTES_PER_TEXT_TOKEN = 4;

/** Returns the estimated tokens of a text. */
export function textTokens(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TEXT_TOKEN;
}
