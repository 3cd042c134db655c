/** Checks whether Amazon Athena, which uses Trino's grammar, would accept the SQL statements. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { athenaViews } from '../../lib/shared/book-views/views.ts';
import { trinoMistakes } from '../support/trino.ts';

/** A person has compared these functions with Trino's documentation. */
const ofTrino = [
  'cast',
  'coalesce',
  'concat_ws',
  'count',
  'date_trunc',
  'dense_rank',
  'element_at',
  'json_array_length',
  'json_extract',
  'json_extract_scalar',
  'json_format',
  'json_parse',
  'length',
  'map_keys',
  'max',
  'max_by',
  'min',
  'min_by',
  'regexp_extract',
  'regexp_like',
  'row_number',
  'split_part',
  'starts_with',
  'strpos',
  'substr',
  'sum',
];

/** These words may precede a bracket and are not functions. */
const words = [
  'as',
  'and',
  'from',
  'in',
  'join',
  'map',
  'or',
  'over',
  'then',
  'unnest',
  'values',
  'when',
  'where',
  'with',
];

const withoutTexts = (sql: string) => sql.replace(/'(?:[^']|'')*'/g, "''");
const functionsIn = (sql: string) =>
  [...withoutTexts(sql).matchAll(/\b([a-z_]+) ?\(/gi)].map(([, name]) => name!.toLowerCase());
/** Aliases have brackets as well: `AS named(name)`. */
const withoutAliases = (sql: string) => sql.replace(/\bAS [a-z_]+\([^)]*\)/g, '');

describe('a statement for Athena', () => {
  it.each(athenaViews.map(({ name, query }) => [name, query]))('is valid in Trino: %s', async (name, query) => {
    expect(await trinoMistakes(`CREATE VIEW ${name} AS ${query}`)).toEqual([]);
  });

  it.each([
    'SELECT a, sum(b) FROM c GROUP BY ALL',
    'SELECT a[:10] FROM b',
    "SELECT a->>'$.b' FROM c",
    'SELECT list_filter(a, lambda x: x > 1) FROM b',
    'SELECT DISTINCT ON (a) b FROM c',
  ])('is reported if only DuckDB accepts it: %s', async (sql) => {
    expect(await trinoMistakes(sql)).not.toEqual([]);
  });

  it('uses only functions of Trino', () => {
    const used = athenaViews.flatMap(({ query }) => functionsIn(withoutAliases(query)));
    const unknown = new Set(used.filter((name) => ![...ofTrino, ...words, 'decimal'].includes(name)));
    expect([...unknown]).toEqual([]);
    expect(ofTrino.filter((name) => !used.includes(name))).toEqual([]);
  });

  it('is valid in Trino if it is in docs/billing.md', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/billing.md'), 'utf8');
    const queries = [...text.matchAll(/[`"](SELECT [^`"]+)[`"]/g)].map(([, sql]) => sql!);
    for (const sql of queries) expect([sql, await trinoMistakes(sql)]).toEqual([sql, []]);
    const unknown = queries.flatMap(functionsIn).filter((name) => ![...ofTrino, ...words].includes(name));
    expect([queries.length > 8, unknown]).toEqual([true, []]);
  });

  it('reads the items as often as docs/billing.md declares, because each read costs money', () => {
    const queries = new Map(athenaViews.map(({ name, query }) => [name, query]));
    const readings = (name: string): number =>
      name === 'items'
        ? 1
        : [...(queries.get(name) ?? '').matchAll(/\b(?:FROM|JOIN) ([a-z_]+)/g)]
            .map(([, other]) => readings(other!))
            .reduce((a, b) => a + b, 0);
    expect(['generations', 'unproven', 'drift', 'model_drift', 'day_drift'].map(readings)).toEqual([1, 2, 3, 2, 4]);
    // The view reads lines of the full export, lines of incremental exports, and the manifests of both.
    expect(queries.get('items')!.match(/\b(lines|export_files)\b/g)).toEqual([
      'lines',
      'export_files',
      'lines',
      'export_files',
    ]);
  });

  it('reads no view that is defined later', () => {
    const names = athenaViews.map(({ name }) => name);
    for (const [place, { query }] of athenaViews.entries()) {
      const later = names.slice(place).filter((name) => new RegExp(`\\b(?:FROM|JOIN) ${name}\\b`).test(query));
      expect(later).toEqual([]);
    }
  });
});
