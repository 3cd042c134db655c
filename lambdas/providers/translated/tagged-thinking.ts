import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { BlockWriter } from './block-writer.ts';

/** Maximum number of characters of white space before the tag. */
const MAX_INDENT = 64;

interface Piece {
  text: string;
  logprobs: readonly TokenLogprob[] | undefined;
}

/**
 * Separates thinking from text if a reasoning model begins its text with a tag, such as `<think>`. Without an opening tag,
 * a closing tag at the beginning of the text is dropped: some servers send the thinking separately, and leave the tag
 * (https://github.com/antirez/ds4/pull/787, https://github.com/vllm-project/vllm-ascend/issues/12398).
 *
 * Only a tag at the very beginning of the text counts, because a model may also write about the tag. White space around
 * the opening tag, and after the closing tag, is dropped.
 */
export class TaggedThinking {
  /** Position of the waiting pieces. `opened` and `closed`: directly after a tag. `text`: no tag can follow. */
  #place: 'begin' | 'opened' | 'thinking' | 'closed' | 'text';
  readonly #opening: string;
  readonly #closing: string;
  /** Tags that may begin the text. After separate thinking, or a call, an opening tag is text. */
  #tags: string[];
  /** Unwritten pieces, which may be a part of a tag, or white space next to a tag. */
  #waiting: Piece[] = [];
  readonly #blocks: BlockWriter;

  constructor(blocks: BlockWriter, isReasoning: boolean, tag = 'think') {
    this.#blocks = blocks;
    this.#opening = `<${tag}>`;
    this.#closing = `</${tag}>`;
    this.#tags = [this.#opening, this.#closing];
    this.#place = isReasoning ? 'begin' : 'text';
  }

  get waitingBytes(): number {
    return Buffer.byteLength(this.#waitingText());
  }

  /** Adds text of the model, which may contain thinking. */
  add(text: string, logprobs?: readonly TokenLogprob[]): void {
    if (this.#place === 'text') {
      this.#blocks.text(text, logprobs);
      return;
    }
    this.#waiting.push({ text, logprobs });
    while (this.#advances());
  }

  /** Writes the waiting pieces. */
  flush(): void {
    if (this.#place === 'begin' && this.#waiting.length > 0) this.#toText();
    this.#tags = [this.#closing];
    if (this.#place === 'thinking') this.#blocks.thinking(this.#waitingText());
    this.#waiting = [];
  }

  /** Consumes buffered pieces until the parser enters the next state. Returns whether to continue in that state. */
  #advances(): boolean {
    switch (this.#place) {
      case 'begin':
        return this.#readOpening();
      case 'opened':
        return this.#skipSpace('thinking');
      case 'thinking':
        return this.#readThinking();
      case 'closed':
        if (this.#skipSpace('text')) this.#toText();
        return false;
      case 'text':
        return false;
    }
  }

  #readOpening(): boolean {
    const text = this.#waitingText();
    const begun = text.trimStart();
    const indent = text.length - begun.length;
    const tag = this.#tags.find((one) => begun.startsWith(one));
    if (tag) {
      this.#drop(indent + tag.length);
      this.#place = tag === this.#opening ? 'opened' : 'closed';
      return true;
    }
    const mayBeTag = this.#tags.some((one) => one.startsWith(begun));
    if (!mayBeTag || indent > MAX_INDENT) this.#toText();
    return false;
  }

  #readThinking(): boolean {
    const text = this.#waitingText();
    const end = text.indexOf(this.#closing);
    const written = end === -1 ? text.length - partOfTag(text, this.#closing) : end;
    this.#blocks.thinking(text.slice(0, written));
    this.#drop(written + (end === -1 ? 0 : this.#closing.length));
    if (end !== -1) this.#place = 'closed';
    return end !== -1;
  }

  #skipSpace(next: 'thinking' | 'text'): boolean {
    const text = this.#waitingText();
    const rest = text.trimStart();
    this.#drop(text.length - rest.length);
    if (rest === '') return false;
    this.#place = next;
    return true;
  }

  #toText(): void {
    this.#place = 'text';
    for (const { text, logprobs } of this.#waiting.splice(0)) this.#blocks.text(text, logprobs);
  }

  #waitingText(): string {
    return this.#waiting.map(({ text }) => text).join('');
  }

  /** Drops characters at the start of the waiting pieces, with the probabilities of their tokens. */
  #drop(characters: number): void {
    let remaining = characters;
    this.#waiting = this.#waiting.flatMap(({ text, logprobs }): Piece[] => {
      const dropped = Math.min(remaining, text.length);
      remaining -= dropped;
      if (dropped === text.length) return [];
      return [{ text: text.slice(dropped), logprobs: logprobs && tokensFrom(dropped, logprobs) }];
    });
  }
}

/** Returns the tokens that begin at or after a position in the text that they form. */
function tokensFrom(position: number, tokens: readonly TokenLogprob[]): TokenLogprob[] {
  let begin = 0;
  return tokens.filter(({ token }) => {
    const isKept = begin >= position;
    begin += token.length;
    return isKept;
  });
}

/** Returns how many characters at the end of a text may be the beginning of the closing tag. */
function partOfTag(text: string, tag: string): number {
  for (let length = tag.length - 1; length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
