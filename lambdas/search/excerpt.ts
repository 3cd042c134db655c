import { append } from '../platform/append.ts';

/** Selects the quote for a citation: the span of the source that shares most words with the model's claim. */

/** In code points, as long as quotes of the Messages API. */
const MAX_EXCERPT_CHARACTERS = 150;
const CUT = '...';
const MAX_CUT_CHARACTERS = MAX_EXCERPT_CHARACTERS - 2 * CUT.length;
const MAX_SOURCE_CHARACTERS = 2_000;
const MAX_CLAIM_CHARACTERS = 600;

/** Shorter words occur in every text. A number counts at any length, and so does each Chinese character. */
const EXCERPT_WORDS = /\p{Script=Han}|[\p{L}--\p{Script=Han}]{3,}|\p{N}+/gv;
/** Words with the same beginning count as equal. Endings of cases, verbs and plurals come after that. */
const STEM_CHARACTERS = 5;
/** Text between blanks. Scripts without blanks, and long addresses, are split. */
const TOKENS = /[^\s。！？]{1,70}[。！？]{0,2}|[。！？]/gu;
const SENTENCE_END = /[.!?…。！？]["”’»)*]*$/u;

interface Token {
  start: number;
  end: number;
  /** Its words that also occur in the claim. */
  shared: string[];
}

interface QuotedPart {
  text: string;
  /** Number of words shared with the claim, and of other words before them. */
  shared: number;
  before: number;
}

/** @returns at most 150 characters of the source: whole sentences if they fit, or else cut with "..." */
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

/** The first sentence, the first two, and so on while they fit. */
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

/** Spans of a sentence that start at each of its words and are as long as fits. */
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
  // A character is one or two units. Counting is unnecessary if the span is short enough or too long in any case.
  if (end - start <= MAX_CUT_CHARACTERS || end - start > 2 * MAX_EXCERPT_CHARACTERS) return end - start;
  let length = 0;
  for (const _ of text.slice(start, end)) length += 1;
  return length;
}
