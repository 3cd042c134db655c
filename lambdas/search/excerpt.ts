import { append } from '../platform/append.ts';

/** Selects the quote of a citation: the part of the source that shares the most words with the claim. */

/** Maximum length of an excerpt in code points, as in the Messages API. */
const MAX_EXCERPT_CHARACTERS = 150;
const CUT = '...';
const MAX_CUT_CHARACTERS = MAX_EXCERPT_CHARACTERS - 2 * CUT.length;
const MAX_SOURCE_CHARACTERS = 2_000;
const MAX_CLAIM_CHARACTERS = 600;

/**
 * Words that are compared. They have at least three letters, because shorter words occur in most texts. Numbers of any
 * length count, and each Chinese character counts as a word.
 */
const EXCERPT_WORDS = /\p{Script=Han}|[\p{L}--\p{Script=Han}]{3,}|\p{N}+/gv;
/** Number of a word's first letters that are compared, because endings vary. */
const STEM_CHARACTERS = 5;
/** Matches text between white space. Long text without white space is split, such as a URL, or Chinese text. */
const TOKENS = /[^\s。！？]{1,70}[。！？]{0,2}|[。！？]/gu;
const SENTENCE_END = /[.!?…。！？]["”’»)*]*$/u;

interface Token {
  start: number;
  end: number;
  /** Words that also occur in the claim. */
  shared: string[];
}

interface QuotedPart {
  text: string;
  /** `shared`: number of words that also occur in the claim. `before`: number of words before the first shared word. */
  shared: number;
  before: number;
}

/** Returns at most 150 characters of the source: whole sentences if they fit, otherwise a part with "...". */
export function excerpt(source: string, claim: string): string {
  const text = source.slice(0, MAX_SOURCE_CHARACTERS).toWellFormed();
  const claimed = new Set(stemsOf(claim.slice(0, MAX_CLAIM_CHARACTERS)));
  const sentences = sentencesOf(text, claimed);
  let best: QuotedPart | undefined;
  for (const [index, sentence] of sentences.entries()) {
    const quotes = fitsExcerpt(text, sentence)
      ? wholeSentences(text, sentences.slice(index))
      : cutSentence(text, sentence);
    for (const quote of quotes) if (isBetter(quote, best)) best = quote;
  }
  return best?.text ?? textBeginning(text, sentences);
}

function isBetter({ shared, before }: QuotedPart, best: QuotedPart | undefined): boolean {
  return shared > (best?.shared ?? 0) || (best !== undefined && shared === best.shared && before < best.before);
}

function stemsOf(text: string): string[] {
  const words = text.toLowerCase().replaceAll('ё', 'е').match(EXCERPT_WORDS) ?? [];
  return words.map((word) => word.slice(0, STEM_CHARACTERS));
}

function sentencesOf(text: string, claimed: ReadonlySet<string>): Token[][] {
  const sentences: Token[][] = [];
  let isEnded = true;
  let before = 0;
  for (const { 0: token, index: start } of text.matchAll(TOKENS)) {
    if (isEnded || text.slice(before, start).includes('\n')) sentences.push([]);
    const end = start + token.length;
    sentences.at(-1)!.push({ start, end, shared: stemsOf(token).filter((stem) => claimed.has(stem)) });
    isEnded = SENTENCE_END.test(token);
    before = end;
  }
  return sentences;
}

/** Yields the first sentence, the first two, and so on, as long as they fit. */
function* wholeSentences(text: string, sentences: Token[][]): Generator<QuotedPart> {
  const tokens: Token[] = [];
  const { start } = sentences[0]![0]!;
  for (const sentence of sentences) {
    const { end } = sentence.at(-1)!;
    if (textLength(text, start, end) > MAX_EXCERPT_CHARACTERS) return;
    append(tokens, sentence);
    yield { text: text.slice(start, end), ...inCommon(tokens) };
  }
}

/** Yields one part of a long sentence for each of its words, with as many further words as fit. */
function* cutSentence(text: string, sentence: Token[]): Generator<QuotedPart> {
  let last = 0;
  for (const [first, { start }] of sentence.entries()) {
    while (last + 1 < sentence.length && textLength(text, start, sentence[last + 1]!.end) <= MAX_CUT_CHARACTERS)
      last += 1;
    const beginning = first > 0 ? CUT : '';
    const ending = last + 1 < sentence.length ? CUT : '';
    const quoted = beginning + text.slice(start, sentence[last]!.end) + ending;
    yield { text: quoted, ...inCommon(sentence.slice(first, last + 1)) };
  }
}

function inCommon(tokens: Token[]): { shared: number; before: number } {
  const shared = new Set(tokens.flatMap((token) => token.shared)).size;
  return { shared, before: tokens.findIndex((token) => token.shared.length > 0) };
}

function textBeginning(text: string, sentences: Token[][]): string {
  const [first] = sentences;
  if (!first) return '';
  if (!fitsExcerpt(text, first)) return cutSentence(text, first).next().value?.text ?? '';
  return [...wholeSentences(text, sentences)].at(-1)?.text ?? '';
}

function fitsExcerpt(text: string, sentence: Token[]): boolean {
  return textLength(text, sentence[0]!.start, sentence.at(-1)!.end) <= MAX_EXCERPT_CHARACTERS;
}

function textLength(text: string, start: number, end: number): number {
  // A code point has one or two code units, so counting is often unnecessary.
  if (end - start <= MAX_CUT_CHARACTERS || end - start > 2 * MAX_EXCERPT_CHARACTERS) return end - start;
  let length = 0;
  for (const _ of text.slice(start, end)) length += 1;
  return length;
}
