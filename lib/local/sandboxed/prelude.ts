/** Status and headers of a streamed response. */
export interface Prelude {
  statusCode: number;
  headers: Record<string, string>;
}

const DELIMITER = Buffer.alloc(8);

/** Splits a streamed response into its head (JSON, then eight NUL bytes) and its body. */
export class PreludeParser {
  #head: Buffer | undefined = Buffer.alloc(0);

  /** @returns the part of the chunk that belongs to the body */
  push(chunk: Buffer, onHead: (prelude: Prelude) => void): Buffer {
    if (!this.#head) return chunk;
    const seen = Buffer.concat([this.#head, chunk]);
    const end = seen.indexOf(DELIMITER);
    if (end === -1) {
      this.#head = seen;
      return Buffer.alloc(0);
    }
    this.#head = undefined;
    onHead(JSON.parse(seen.subarray(0, end).toString('utf8')) as Prelude);
    return seen.subarray(end + DELIMITER.length);
  }
}
