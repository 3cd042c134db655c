/**
 * The form of the views over the books, and the expressions that they are made of: SQL that Amazon Athena (Trino) and DuckDB both take as it
 * stands. What Trino has and DuckDB has not, DuckDB is given as macros (../duckdb.ts).
 *
 * Guarantee: amounts are DECIMAL(38,12) from their digits on, and never a floating-point number. One that has more than twelve digits
 * behind the point is an error, because both engines would round it. Sums and products by whole numbers keep twelve digits, and an overflow is an error.
 */

export const AMOUNT_TYPE = 'decimal(38,12)';

/** The types that columns have, in the words of Trino. */
export type ColumnType = 'varchar' | 'boolean' | 'bigint' | typeof AMOUNT_TYPE;

export interface BooksView {
  name: string;
  /** Athena keeps them beside the query, and refuses a view whose query has others. */
  columns: Readonly<Record<string, ColumnType>>;
  /** A SELECT over `items` and the views before it. */
  query: string;
}

/** The columns of `items`: the newest image of each item, as a text of JSON with the types that DynamoDB writes. */
export const itemColumns = { pk: 'varchar', sk: 'varchar', entity: 'varchar', item: 'varchar' } as const;

export const ZERO = 'CAST(0 AS DECIMAL(38, 12))';

/** @param path such as `id.S`; letters, digits and underlines, and points between them */
export function textAt(document: string, path: string): string {
  return `json_extract_scalar(${document}, '$.${path}')`;
}

/** A part of a document, as a text of JSON. */
export function documentAt(document: string, path: string): string {
  return `json_format(json_extract(${document}, '$.${path}'))`;
}

export function listAt(document: string, path: string): string {
  return `CAST(json_extract(${document}, '$.${path}') AS JSON ARRAY)`;
}

/** A whole number; null where it is absent. */
export function countAt(document: string, name: string): string {
  return `CAST(${textAt(document, `${name}.N`)} AS BIGINT)`;
}

export function amountAt(document: string, name: string): string {
  return amountOf(textAt(document, `${name}.N`));
}

/**
 * The amounts that twelve digits hold exactly: plain digits, and the two ways in which Java shortens numbers, 1E+3 and 1E-7. No exponent was seen in an
 * export so far.
 */
const exactAmount = [
  '-?[0-9]+([.][0-9]{1,12}0*)?([eE][+]?[0-9]+)?',
  ...[7, 8, 9, 10, 11].map((exponent) => `-?[0-9]([.][0-9]{1,${12 - exponent}})?[eE]-0?${exponent}`),
  '-?[0-9][eE]-12',
]
  .map((form) => `^${form}$`)
  .join('|');

/** An amount from a text of digits; the text of an amount that would be rounded is no number, so that its cast fails with it. */
export function amountOf(digits: string): string {
  return `CAST(CASE WHEN regexp_like(${digits}, '${exactAmount}') THEN ${digits} ELSE 'more than twelve digits: ' || ${digits} END AS DECIMAL(38, 12))`;
}

/** A column for each of some rows that have no table, to be joined with CROSS JOIN. */
export function valuesTable(values: readonly (string | number)[], name: string, column: string): string {
  const rows = values.map((value) => `(${typeof value === 'number' ? value : `'${value}'`})`);
  return `(VALUES ${rows.join(', ')}) AS ${name}(${column})`;
}
