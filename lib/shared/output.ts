export type Row = Record<string, unknown>;

const MIN_TERMINAL_COLUMNS = 120;
const GAP = '  ';
const NARROWEST = 8;

/** Prints one object or a list: as JSON, or as text for people. */
export function print(value: Row | Row[], json: boolean): void {
  process.stdout.write(
    json ? `${JSON.stringify(value, null, 2)}\n` : Array.isArray(value) ? table(value) : sheet(value),
  );
}

/** Returns the maximum width of a table in characters; output to files and pipes is never shortened. */
function outputColumns(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY ? Math.max(MIN_TERMINAL_COLUMNS, columns) : Infinity;
}

/**
 * Formats a list as aligned columns with a header. Numbers are aligned to the right.
 * @param maxCharacters longer lines are shortened by cutting text columns other than `id`, but never numbers
 */
export function table(rows: Row[], maxCharacters = outputColumns()): string {
  const [first] = rows;
  if (!first) return '(none)\n';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const isNumeric = names.map((name) => areNumbers(rows.map((row) => cell(row[name]))));
  // People copy ids, and a cut number would be wrong.
  const isFixed = names.map((name, index) => isNumeric[index]! || name === 'id');
  const widths = fitting(
    names.map((_, index) => Math.max(...lines.map((line) => line[index]!.length))),
    isFixed,
    maxCharacters,
  );
  const padded = (text: string, index: number) => {
    const width = widths[index]!;
    const shown = text.length > width ? `${text.slice(0, width - 1)}…` : text;
    return isNumeric[index] ? shown.padStart(width) : shown.padEnd(width);
  };
  return lines.map((line) => `${line.map(padded).join(GAP).trimEnd()}\n`).join('');
}

/** Returns whether at least one value is known, and all known values are numbers. */
function areNumbers(cells: string[]): boolean {
  const known = cells.filter((text) => text !== '-');
  return known.length > 0 && known.every((text) => /^-?\d+(\.\d+)?( %)?$/.test(text));
}

/** Narrows the widest text columns until all columns fit, or have their minimum width. */
function fitting(widths: number[], isFixed: boolean[], maxCharacters: number): number[] {
  const fitted = [...widths];
  const excess = () => fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - maxCharacters;
  while (excess() > 0) {
    const candidates = fitted.map((width, index) => (isFixed[index] || width <= NARROWEST ? 0 : width));
    const widest = Math.max(...candidates);
    if (widest === 0) break;
    fitted[candidates.indexOf(widest)]! -= 1;
  }
  return fitted;
}

function sheet(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`)
    .join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  // Prints a flat object (for example limits by period) without braces.
  const entries = Object.entries(value);
  const isFlat = entries.every(([, inner]) => typeof inner !== 'object' || inner === null);
  if (!isFlat) return JSON.stringify(value);
  return entries.length === 0 ? '-' : entries.map(([name, inner]) => `${name} ${cell(inner)}`).join(', ');
}
