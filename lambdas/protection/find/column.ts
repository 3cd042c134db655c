import { append } from '../../platform/append.ts';

/** Finds values in tables (CSV, tab-separated text, Markdown), in which often only a heading shows their kind. */

export interface Cell {
  value: string;
  start: number;
}

/** Separators of cells. The first one in this list that occurs in a heading separates the cells of its table. */
const SEPARATORS = ['\t', '|', ';', ','];
/**
 * Maximum length of a line in characters; a longer line counts as empty. Tables with more than MAX_COLUMNS columns are
 * ignored.
 */
const MAX_LINE = 2_000;
const MAX_COLUMNS = 64;
/** The line between the heading and the rows of a Markdown table. */
const RULE_LINE = /^[\s|:-]+$/;

/**
 * Returns the cells of all columns whose heading matches. A table ends at the first line with a different number of
 * cells.
 */
export function cellsUnder(text: string, heading: RegExp): Cell[] {
  const found: Cell[] = [];
  let table: { separator: string; columns: number[]; width: number } | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = end - start > MAX_LINE ? '' : text.slice(start, end);
    if (table && !RULE_LINE.test(line)) {
      const cells = line.split(table.separator, MAX_COLUMNS + 1);
      if (cells.length === table.width) append(found, cellsIn(cells, table.columns, start));
      else table = undefined;
    }
    table ??= headingOf(line, heading);
    start = end + 1;
  }
  return found;
}

function headingOf(line: string, heading: RegExp): { separator: string; columns: number[]; width: number } | undefined {
  if (!heading.test(line)) return undefined;
  const separator = SEPARATORS.find((sign) => line.includes(sign));
  if (separator === undefined) return undefined;
  const cells = line.split(separator, MAX_COLUMNS + 1);
  if (cells.length > MAX_COLUMNS) return undefined;
  const columns = cells.flatMap((cell, index) => (isHeading(cell, heading) ? [index] : []));
  return columns.length === 0 ? undefined : { separator, columns, width: cells.length };
}

/** Whether a cell is the heading of the values, and not a sentence that only mentions them. */
function isHeading(cell: string, heading: RegExp): boolean {
  return cell.length <= 40 && !/\d/.test(cell) && heading.test(cell);
}

function cellsIn(cells: string[], columns: readonly number[], lineStart: number): Cell[] {
  let at = lineStart;
  const starts = cells.map((cell) => {
    const start = at;
    at += cell.length + 1;
    return start;
  });
  return columns.map((column) => {
    const [before] = /^[\s"'`]*/.exec(cells[column]!)!;
    return {
      value: cells[column]!.slice(before.length).replace(/[\s"'`]+$/, ''),
      start: starts[column]! + before.length,
    };
  });
}
