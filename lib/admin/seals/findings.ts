import type { SealFinding } from './check-files.ts';

export type ReportFinding = (where: string, says: string) => void;

/** Counts all findings, but keeps only the first `max` of them. */
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

  text(): string {
    const lines = this.kept.map(({ account, date, where, says }) => {
      const day = account === null ? date : `${date} of ${account}`;
      return `- ${day}: ${where} ${says}\n`;
    });
    const others = this.#count - this.kept.length;
    return `${lines.join('')}${others > 0 ? `- and ${others} more\n` : ''}`;
  }
}
