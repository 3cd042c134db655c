import type { ComponentChildren } from 'preact';
import { useConsole } from '../environment.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Whether the cells contain numbers, which are aligned to the end of the column. */
  isFigure?: boolean;
  /** CSS class of the cells. */
  look?: string;
  /** Content of the column's cell in the last row, which contains the totals. */
  total?: ComponentChildren;
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Text that is shown instead of rows if there are none. */
  empty?: string;
  /** Returns the group of a row. The table shows the rows of a group together, under the name of the group. */
  groupOf?: (row: Row) => string;
  /** CSS class of the table. */
  look?: string;
}

/**
 * Table with column titles. On narrow screens it becomes a list of cards, in which each cell shows the title of its
 * column. The first cell is the name of the row.
 */
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

/** Whether a cell has no value. Cards omit such cells. */
function isNoValue(content: ComponentChildren): boolean {
  return content === '—' || content === '';
}

function looksOf<Row>({ isFigure, look }: Column<Row>, isEmpty = false): string | undefined {
  const looks = [isFigure && 'figure', look, isEmpty && 'no-value'].filter(Boolean).join(' ');
  return looks === '' ? undefined : looks;
}
