import { createHash } from 'node:crypto';
import { sealedWidths, widthOfHead, type LineKind } from '../../../lambdas/books/seals/sealed-line.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { balanceEntryKinds } from '../../../lambdas/store/accounts/accounts.ts';
import { packedLines } from '../command-line/packed-lines.ts';

/** The seal covers the text; the other values are parsed from it. */
export interface SealedLine {
  text: string;
  width: number;
  kind: LineKind;
  id: string;
  /** Whether this is the first line of a generation, or the line of a payment. */
  isFirst: boolean;
  /** ISO time of the settlement; empty if unknown. */
  settledAt: string;
  /** `line_rub`, `total_cost_rub` and `correction_rub`; zero if the cell is empty. */
  line: Money;
  total: Money;
  correction: Money;
}

export function isPaymentKind(kind: LineKind): boolean {
  return (balanceEntryKinds as readonly string[]).includes(kind);
}

/** Reads a gzipped file of sealed lines, without its first line (the column names). */
export class SealedLineReader {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #width = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws {Error} if `texts` throws, or an amount is invalid */
  async *lines(): AsyncGenerator<SealedLine, void> {
    for await (const text of this.texts()) yield parsedLine(text, this.#width);
  }

  /** @throws {Error} if the file does not exist, is not gzipped, or has other columns */
  async *texts(): AsyncGenerator<string, undefined> {
    const texts = packedLines(this.#path, (chunk) => void this.#hash.update(chunk));
    const head = await texts.next();
    const width = widthOfHead(head.value ?? '');
    if (width === undefined) throw new Error('its columns are unknown to this version');
    this.#width = width;
    yield* texts;
  }

  /** Returns the SHA-256 of the decompressed bytes that were read. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** Number of columns up to the last amount. The columns of units that later releases added come after this amount. */
const AMOUNTS_END = sealedWidths.at(-1)!;

/** Parses a line. Texts in its middle may contain commas, so only cells at the beginning and at the end are used. */
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
