/** One row of a command's answer: for a table, and for programs. */
export type Row = Record<string, unknown>;

/** Prints one object or a list of them: JSON for programs, an aligned table for people. */
export function print(value: Row | Row[], json: boolean): void {
  process.stdout.write(
    json ? `${JSON.stringify(value, null, 2)}\n` : Array.isArray(value) ? table(value) : sheet(value),
  );
}

/** A list as aligned columns under their names. */
function table(rows: Row[]): string {
  const [first] = rows;
  if (!first) return '(none)\n';
  const columns = Object.keys(first);
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One object as "name  value" lines. */
function sheet(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`)
    .join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
