import type { SealFinding } from './check-files.ts';

/** A function that takes down what is wrong on a day of an account, both of which it knows. */
export type TellFinding = (where: string, says: string) => void;

/** All findings are counted, and the first of them kept: of a lost day there may be as many as it has lines. */
export class SealFindings {
  readonly kept: SealFinding[] = [];
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  readonly add = (finding: SealFinding): void => {
    this.#count += 1;
    if (this.kept.length < this.#max) this.kept.push(finding);
  };

  /** A line for each that is kept, and one that says how many others there are. */
  text(): string {
    const lines = this.kept.map(({ account, date, where, says }) => {
      const day = account === null ? date : `${date} of ${account}`;
      return `- ${day}: ${where} ${says}\n`;
    });
    const others = this.#count - this.kept.length;
    return `${lines.join('')}${others > 0 ? `- and ${others} more\n` : ''}`;
  }
}
