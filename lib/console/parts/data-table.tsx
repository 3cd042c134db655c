import type { ComponentChildren } from 'preact';
import { useConsole } from '../environment.ts';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Whether the cells are numbers, aligned to the end of the column. */
  isFigure?: boolean;
  /** CSS class of the cells. */
  look?: string;
  /** Content of the column's cell in the row of totals. */
  total?: ComponentChildren;
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Text that is shown if there are no rows. */
  empty?: string;
  /** Returns the name of a row's group. The rows of a group are shown together, under this name. */
  groupOf?: (row: Row) => string;
  /** CSS class of the table. */
  look?: string;
}

/** Table with column titles. On narrow screens it becomes a list of cards. */
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

/** Returns whether a cell has no value. Cards omit cells without a value. */
function isNoValue(content: ComponentChildren): boolean {
  return content === '—' || content === '';
}

function looksOf<Row>({ isFigure, look }: Column<Row>, isEmpty = false): string | undefined {
  const looks = [isFigure && 'figure', look, isEmpty && 'no-value'].filter(Boolean).join(' ');
  return looks === '' ? undefined : looks;
}
