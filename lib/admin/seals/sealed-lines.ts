import { createHash } from 'node:crypto';
import { sealedWidths, widthOfHead, type LineKind } from '../../../lambdas/books/seals/sealed-line.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { balanceEntryKinds } from '../../../lambdas/store/accounts/accounts.ts';
import { packedLines } from '../command-line/packed-lines.ts';

/** A sealed line, as far as it has to be read: its text decides. */
export interface SealedLine {
  text: string;
  /** The number of its columns. */
  width: number;
  kind: LineKind;
  id: string;
  /** Whether it is the first of a generation's lines. */
  isFirst: boolean;
  /** ISO time; empty where it says none. */
  settledAt: string;
  /** Zero where there are none. */
  line: Money;
  total: Money;
  correction: Money;
}

export function isPaymentKind(kind: LineKind): boolean {
  return (balanceEntryKinds as readonly string[]).includes(kind);
}

/** Reads a packed file of lines, line by line; the first line says the columns, and is not among them. */
export class SealedLineReader {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #width = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws {Error} as `texts` does, and for a line whose amounts are none */
  async *lines(): AsyncGenerator<SealedLine, void> {
    for await (const text of this.texts()) yield parsedLine(text, this.#width);
  }

  /** @throws {Error} for a file that is not there, that is not packed, or whose first line says other columns */
  async *texts(): AsyncGenerator<string, undefined> {
    const texts = packedLines(this.#path, (chunk) => void this.#hash.update(chunk));
    const head = await texts.next();
    const width = widthOfHead(head.value ?? '');
    if (width === undefined) throw new Error('it has other columns than this version knows');
    this.#width = width;
    yield* texts;
  }

  /** The hash of what was read. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** The number of columns up to the amounts; behind them are units that only later releases know. */
const AMOUNTS_END = sealedWidths.at(-1)!;

/** The cells that are read are the first and the last ones: texts that may have commas are between them. */
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
