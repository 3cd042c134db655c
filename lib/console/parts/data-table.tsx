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
            {columns.map(({ title, cell, isFigure }, index) =>
              index === 0 ? (
                <th key={title} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={title} data-title={title} class={isFigure ? 'figure' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
