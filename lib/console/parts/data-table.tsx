import type { ComponentChildren } from 'preact';
import { useConsole } from '../environment.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Figures are aligned at their end. */
  isFigure?: boolean;
  /** A class of the cells in the style sheet. */
  look?: string;
  /** The cell of the last row, which adds up the rows above. */
  total?: ComponentChildren;
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Stands in place of the rows if there are none. */
  empty?: string;
  /** Rows with the same group follow each other, under its name. */
  groupOf?: (row: Row) => string;
  /** A class of the table in the style sheet. */
  look?: string;
}

/** A table that becomes a list of cards on a narrow screen: each cell knows its column's title. The first cell names its row. */
export function DataTable<Row>({ caption, columns, rows, rowKey, empty, groupOf, look = '' }: TableProps<Row>) {
  const { texts } = useConsole();
  if (rows.length === 0) return <p class="quiet">{empty ?? texts.nothingThere}</p>;
  const groups = groupOf === undefined ? [['', rows] as const] : [...Map.groupBy(rows, groupOf)];
  return (
    <div class="table">
      <table class={`cards ${look}`} aria-label={caption}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={looksOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(([group, own]) => (
          <tbody key={group}>
            {group !== '' && (
              <tr class="group">
                <th scope="rowgroup" colSpan={columns.length}>
                  {group}
                </th>
              </tr>
            )}
            {own.map((row) => (
              <Row key={rowKey(row)} columns={columns} cellOf={({ cell }) => cell(row)} />
            ))}
          </tbody>
        ))}
        {columns.some(({ total }) => total !== undefined) && (
          <tfoot>
            <Row columns={columns} cellOf={({ total }) => total ?? ''} />
          </tfoot>
        )}
      </table>
    </div>
  );
}

interface RowProps<Row> {
  columns: Column<Row>[];
  cellOf: (column: Column<Row>) => ComponentChildren;
}

function Row<Row>({ columns, cellOf }: RowProps<Row>) {
  return (
    <tr>
      {columns.map((column, index) => {
        const content = cellOf(column);
        return index === 0 ? (
          <th key={column.title} scope="row" class={looksOf(column)}>
            {content}
          </th>
        ) : (
          <td key={column.title} data-title={column.title} class={looksOf(column, isNoValue(content))}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}

/** A card leaves out cells without a value. */
function isNoValue(content: ComponentChildren): boolean {
  return content === '—' || content === '';
}

function looksOf<Row>({ isFigure, look }: Column<Row>, isEmpty = false): string | undefined {
  const looks = [isFigure && 'figure', look, isEmpty && 'no-value'].filter(Boolean).join(' ');
  return looks === '' ? undefined : looks;
}
