import type { BooksView } from '../../shared/book-views/view.ts';

/** Macros for functions of Trino that DuckDB lacks, or whose results in DuckDB differ for nulls or texts. */
const macros = `
CREATE MACRO json_extract_scalar(document, path) AS json_extract_string(document, path);
CREATE MACRO json_format(document) AS CAST(document AS VARCHAR);
CREATE MACRO json_parse(document) AS CAST(document AS JSON);
CREATE MACRO regexp_like(string, pattern) AS regexp_matches(string, pattern);
CREATE MACRO element_at(map, key) AS map_extract_value(map, key);
CREATE MACRO min_by(value, by_what) AS arg_min_null(value, by_what);
CREATE MACRO split_part(string, delimiter, place) AS list_extract(string_split(string, delimiter), place);
`;

/** Returns the statements that create all views. */
export function duckdbStatements(views: readonly BooksView[]): string {
  return [macros, ...views.map(({ name, query }) => `CREATE VIEW ${name} AS ${query};\n`)].join('\n');
}
