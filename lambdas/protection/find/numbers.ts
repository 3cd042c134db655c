import { GAP, HYPHEN, type Numerals } from './finding.ts';

/** Minimum number of digits, because the shortest IP address, `1.1.1.1`, has four. */
const MIN_NUMBER_DIGITS = 4;
const RUN = new RegExp(String.raw`\d[\d${GAP}.${HYPHEN}()]{3,}`, 'g');
/** Maximum number of separators between two digits, as in `) -`. */
const MAX_SEPARATORS = 3;

/** Returns the numbers with at least four digits, from left to right. */
export function numeralsIn(text: string): Numerals[] {
  const found: Numerals[] = [];
  RUN.lastIndex = 0;
  for (let run = RUN.exec(text); run; run = RUN.exec(text)) split(run[0], run.index, found);
  return found;
}

function split(run: string, from: number, found: Numerals[]): void {
  let start = 0;
  let end = 0;
  let digits = '';
  const add = () => {
    if (digits.length >= MIN_NUMBER_DIGITS) found.push({ start: from + start, written: run.slice(start, end), digits });
  };
  for (let index = 0; index < run.length; index += 1) {
    const code = run.charCodeAt(index);
    if (code < 0x30 || code > 0x39) continue;
    if (index - end > MAX_SEPARATORS) {
      add();
      start = index;
      digits = '';
    }
    digits += run[index];
    end = index + 1;
  }
  add();
}
