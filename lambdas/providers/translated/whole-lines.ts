import { UpstreamError } from '../upstream-http.ts';

/** Longer than any event. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/**
 * Keeps a line until it is whole: a parser that rereads a long line from its start with each piece would take time that
 * grows with the square of its length.
 */
export class WholeLines {
  #pieces: string[] = [];
  #characters = 0;

  /** @returns the lines that a piece completes. @throws {UpstreamError} for a line that has no end. */
  push(piece: string): string {
    const end = piece.lastIndexOf('\n') + 1;
    if (end === 0) {
      this.#characters += piece.length;
      if (this.#characters > MAX_LINE_CHARACTERS) {
        throw new UpstreamError('malformed', 'An event of the stream is too large');
      }
      this.#pieces.push(piece);
      return '';
    }
    const whole = this.rest() + piece.slice(0, end);
    this.#pieces = [piece.slice(end)];
    this.#characters = piece.length - end;
    return whole;
  }

  /** Removes and returns what came after the last whole line. */
  rest(): string {
    const rest = this.#pieces.join('');
    this.#pieces = [];
    this.#characters = 0;
    return rest;
  }
}
