import { createHash } from 'node:crypto';
import { sealedWidths, widthOfHead, type LineKind } from '../../../lambdas/books/seals/sealed-line.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { balanceEntryKinds } from '../../../lambdas/store/accounts/accounts.ts';
import { packedLines } from '../command-line/packed-lines.ts';

/** Sealed line as text, with the parsed values that the checks need. The seal covers the text. */
export interface SealedLine {
  text: string;
  /** Number of columns of the line. */
  width: number;
  kind: LineKind;
  id: string;
  /** Whether the line is the first line of a generation, or the line of a payment. */
  isFirst: boolean;
  /** ISO time of the settlement; empty if unknown. */
  settledAt: string;
  /**
   * Amount in the column `line_rub`; zero if the cell is empty. `total` and `correction` are the amounts in
   * `total_cost_rub` and `correction_rub`.
   */
  line: Money;
  total: Money;
  correction: Money;
}

export function isPaymentKind(kind: LineKind): boolean {
  return (balanceEntryKinds as readonly string[]).includes(kind);
}

/** Reads a gzipped file of sealed lines, line by line. The first line contains the column names, and is skipped. */
export class SealedLineReader {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #width = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Yields the parsed lines.
   * @throws {Error} if `texts` throws, or an amount is invalid
   */
  async *lines(): AsyncGenerator<SealedLine, void> {
    for await (const text of this.texts()) yield parsedLine(text, this.#width);
  }

  /**
   * Yields the lines as text.
   * @throws {Error} if the file does not exist, is not gzipped, or has other columns
   */
  async *texts(): AsyncGenerator<string, undefined> {
    const texts = packedLines(this.#path, (chunk) => void this.#hash.update(chunk));
    const head = await texts.next();
    const width = widthOfHead(head.value ?? '');
    if (width === undefined) throw new Error('its columns are unknown to this version');
    this.#width = width;
    yield* texts;
  }

  /** Returns the SHA-256 of the bytes that were read. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** Number of columns up to the last amount. Releases that added units have their columns after these. */
const AMOUNTS_END = sealedWidths.at(-1)!;

/** Parses a line. Texts in the middle may contain commas, so only cells at the beginning and at the end are used. */
function parsedLine(text: string, width: number): SealedLine {
  const cells = text.split(',');
  const amounts = cells.slice(0, cells.length - (width - AMOUNTS_END)).slice(-3);
  const [kind, id, round, , settledAt] = cells as [LineKind, string, string, string, string];
  const [line, total, correction] = amounts.map((cell) => (cell === '' ? Money.zero : Money.parse(cell)));
  return {
    text,
    width,
    kind,
    id,
    isFirst: round === '1' || round === '',
    settledAt,
    line: line!,
    total: total!,
    correction: correction!,
  };
}
