/**
 * SQL for views of the books, which Amazon Athena (Trino) and DuckDB run.
 *
 * Guarantee: amounts are DECIMAL(38,12) as soon as they are parsed, and never floating-point numbers. An amount with
 * more than twelve decimals is an error, because both engines would round it.
 */

export const AMOUNT_TYPE = 'decimal(38,12)';

export type ColumnType = 'varchar' | 'boolean' | 'bigint' | typeof AMOUNT_TYPE;

export interface BooksView {
  name: string;
  /** Athena rejects the view if the query returns other columns. */
  columns: Readonly<Record<string, ColumnType>>;
  /** SELECT statement that reads `items` (in export-views.ts, `lines`) and earlier views. */
  query: string;
}

/** Columns of `items`: the newest content of each item, as JSON text with DynamoDB's type descriptors. */
export const itemColumns = { pk: 'varchar', sk: 'varchar', entity: 'varchar', item: 'varchar' } as const;

export const ZERO = 'CAST(0 AS DECIMAL(38, 12))';

/**
 * Returns SQL for a text in a JSON document.
 * @param path for example `id.S`; letters, digits, underscores and dots only
 */
export function textAt(document: string, path: string): string {
  return `json_extract_scalar(${document}, '$.${path}')`;
}

export function documentAt(document: string, path: string): string {
  return `json_format(json_extract(${document}, '$.${path}'))`;
}

export function listAt(document: string, path: string): string {
  return `CAST(json_extract(${document}, '$.${path}') AS JSON ARRAY)`;
}

/** Returns SQL for a whole number in a document; null if it is absent. */
export function countAt(document: string, name: string): string {
  return `CAST(${textAt(document, `${name}.N`)} AS BIGINT)`;
}

export function amountAt(document: string, name: string): string {
  return amountOf(textAt(document, `${name}.N`));
}

/** Amounts with at most twelve decimals: plain digits, or the exponent forms 1E+3 and 1E-7. */
const exactAmount = [
  '-?[0-9]+([.][0-9]{1,12}0*)?([eE][+]?[0-9]+)?',
  ...[7, 8, 9, 10, 11].map((exponent) => `-?[0-9]([.][0-9]{1,${12 - exponent}})?[eE]-0?${exponent}`),
  '-?[0-9][eE]-12',
]
  .map((form) => `^${form}$`)
  .join('|');

/**
 * Returns SQL that parses an amount. If the amount would be rounded, the cast fails with the amount in its error
 * message.
 */
export function amountOf(digits: string): string {
  return `CAST(CASE WHEN regexp_like(${digits}, '${exactAmount}') THEN ${digits} ELSE 'more than twelve digits: ' || ${digits} END AS DECIMAL(38, 12))`;
}

/** Returns SQL for a one-column table of constants. */
export function valuesTable(values: readonly (string | number)[], name: string, column: string): string {
  const rows = values.map((value) => `(${typeof value === 'number' ? value : `'${value}'`})`);
  return `(VALUES ${rows.join(', ')}) AS ${name}(${column})`;
}
