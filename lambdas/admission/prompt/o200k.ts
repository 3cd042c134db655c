/**
 * Counts tokens. Import this only in a worker thread: loading the vocabulary takes a quarter of a second and 70 MB.
 *
 * The time to merge a word grows with the square of its length, so texts are cut where the vocabulary itself splits
 * them. A long piece without such a position counts as its number of bytes, which is never lower than its number of
 * tokens.
 */

import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const MAX_WORD = 200;
/**
 * Number of characters that are normalized in one call. The time to normalize grows with the square of the length of a
 * run of accents.
 */
const WINDOW = 2_000;

/** Matches the last character before a position where the vocabulary always splits. */
const LAST_BEFORE_CUT = /\p{L}(?=[^\p{L}\p{M}'])|\p{N}(?=\P{N})|\S(?=[^\S\r\n])/gu;

/** Options with which control tokens in a client's text count as plain text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Letters that a vocabulary may lack: all except common Latin and Cyrillic, Chinese, Japanese and Korean. */
const RARE_LETTERS =
  /(?![\p{ASCII}\u{C0}-\u{FF}\u{400}-\u{45F}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])[\p{L}\p{M}]+/gu;
const NUMBER_RUNS = /\d{2,}/g;
const CARRIAGE_RETURNS = /\r/g;

/** `o200k` is the vocabulary of OpenAI's newer models; `other` is any other vocabulary. */
export type Vocabulary = 'o200k' | 'other';

/**
 * Counts the tokens of texts, rather too many than too few. Providers may normalize a text, so the larger count of the
 * text and its normalized form is used.
 * @param deadlineMs a time of performance.now()
 * @returns undefined if the time was too short
 */
export function countTexts(texts: readonly string[], vocabulary: Vocabulary, deadlineMs: number): number | undefined {
  let tokens = 0;
  try {
    for (const text of texts) {
      for (let start = 0; start < text.length;) {
        if (performance.now() > deadlineMs) return undefined;
        const end = textWindowEnd(text, start);
        tokens += countWindow(text.slice(start, end), vocabulary);
        start = end;
      }
    }
    return tokens;
  } finally {
    // The cache contains words of prompts, which must not stay in memory.
    clearMergeCache();
  }
}

function textWindowEnd(text: string, start: number): number {
  const end = start + WINDOW;
  if (end >= text.length) return text.length;
  const from = end - MAX_WORD;
  let last: number | undefined;
  for (const cut of cuts(text.slice(from, end + 2))) if (from + cut <= end) last = from + cut;
  if (last !== undefined) return last;
  const isPair = (text.codePointAt(end - 1) ?? 0) > 0xff_ff;
  return isPair ? end - 1 : end;
}

function* cuts(text: string): Generator<number> {
  for (const { 0: character, index } of text.matchAll(LAST_BEFORE_CUT)) yield index + character.length;
}

function countWindow(text: string, vocabulary: Vocabulary): number {
  const normal = text.normalize('NFKC');
  const tokens = countForm(text, vocabulary);
  return normal === text ? tokens : Math.max(tokens, countForm(normal, vocabulary));
}

function countForm(text: string, vocabulary: Vocabulary): number {
  let tokens = 0;
  let countedTo = 0;
  let wordStart = 0;
  const endWord = (end: number) => {
    if (end - wordStart >= MAX_WORD) {
      tokens += countWords(text.slice(countedTo, wordStart)) + Buffer.byteLength(text.slice(wordStart, end));
      countedTo = end;
    }
    wordStart = end;
  };
  for (const cut of cuts(text)) endWord(cut);
  endWord(text.length);
  tokens += countWords(text.slice(countedTo));
  return vocabulary === 'o200k' ? tokens : Math.min(tokens + elsewhereMore(text), Buffer.byteLength(text));
}

function countWords(text: string): number {
  try {
    return countTokens(text, AS_TEXT);
  } catch {
    return Buffer.byteLength(text);
  }
}

/**
 * Returns the additional tokens of text that other vocabularies split more finely: digits, carriage returns and rare
 * letters. Source: measurements with the vocabularies of Qwen, DeepSeek, Llama 3 and Gemma.
 */
function elsewhereMore(text: string): number {
  let more = 0;
  for (const [number] of text.matchAll(NUMBER_RUNS)) more += number.length - Math.ceil(number.length / 3);
  for (const [letters] of text.matchAll(RARE_LETTERS)) more += Buffer.byteLength(letters);
  for (const _ of text.matchAll(CARRIAGE_RETURNS)) more += 1;
  return more;
}
