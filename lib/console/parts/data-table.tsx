import type { ComponentChildren } from 'preact';
import { useConsole } from '../environment.ts';

interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Figures stand below each other. */
  isFigure?: boolean;
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Said in the place of rows, where there is none. */
  empty?: string;
}

/** A table that becomes a list of cards on a narrow screen: each cell knows its column's title. The first cell names its row. */
export function DataTable<Row>({ caption, columns, rows, rowKey, empty }: TableProps<Row>) {
  const { texts } = useConsole();
  if (rows.length === 0) return <p class="quiet">{empty ?? texts.nothingThere}</p>;
  return (
    <table class="cards" aria-label={caption}>
      <thead>
        <tr>
          {columns.map(({ title, isFigure }) => (
            <th key={title} scope="col" class={isFigure ? 'figure' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column, index) =>
              index === 0 ? (
                <th key={column.title} scope="row">
                  {column.cell(row)}
                </th>
              ) : (
                <Cell key={column.title} column={column} row={row} />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What stands where there is no value. */
const NO_VALUE = '—';

/** A card leaves out what has no value. */
function Cell<Row>({ column: { title, cell, isFigure }, row }: { column: Column<Row>; row: Row }) {
  const content = cell(row);
  const names = [...(isFigure ? ['figure'] : []), ...(content === NO_VALUE ? ['no-value'] : [])];
  return (
    <td data-title={title} class={names.join(' ')}>
      {content}
    </td>
  );
}
