/**
 * Views that compare the current daily rows with the sums of the records. The rows of a day are computed in eight parts
 * (shards); a day is compared only if all parts are computed.
 */

import { MAX_TAG_COMBINATIONS, OTHER_TAG_VALUES } from '../../../lambdas/accounting/day-rows.ts';
import { MAX_REPORTED_TAGS } from '../../../lambdas/store/accounts/account-tags.ts';
import { TAGS_SUFFIX_LENGTH } from '../../../lambdas/store/days/activity.ts';
import { itemViews } from './item-views.ts';
import { AMOUNT_TYPE, countAt, documentAt, textAt, valuesTable, type BooksView, type ColumnType } from './view.ts';

const PARTS = [0, 1, 2, 3, 4, 5, 6, 7];

const ofParts = (sql: (part: number) => string) => PARTS.map((part) => `WHEN ${part} THEN ${sql(part)}`).join(' ');

/**
 * View with the parts of rolled-up days. `split_by` has the names of the tags by which rows are split, as JSON:
 * `[{"S":"project"}]`; null without a split.
 */
const closedDays: BooksView = {
  name: 'closed_days',
  columns: {
    account_id: 'varchar',
    day: 'varchar',
    shard: 'bigint',
    version: 'bigint',
    split_by: 'varchar',
    is_closed: 'boolean',
  },
  query: `WITH versions AS (
  SELECT substr(pk, length('ACTIVITY#') + 1) AS account_id, ${textAt('item', 'date.S')} AS day, CAST(part AS BIGINT) AS shard,
    CASE part ${ofParts((part) => countAt('item', `version_${part}`))} END AS version,
    CASE part ${ofParts((part) => countAt('item', `split_${part}.M.version`))} END AS split_version,
    CASE part ${ofParts((part) => documentAt('item', `split_${part}.M.by.L`))} END AS split_by
  FROM items CROSS JOIN ${valuesTable(PARTS, 'parts', 'part')} WHERE entity = 'activity_day'
)
SELECT account_id, day, shard, version, CASE WHEN split_version = version THEN split_by END AS split_by,
  count(version) OVER (PARTITION BY account_id, day) = ${PARTS.length} AS is_closed FROM versions`,
};

const dailyRows = itemViews.find(({ name }) => name === 'daily_rows')!;

const currentRows: BooksView = {
  name: 'current_rows',
  columns: { ...dailyRows.columns, split_by: 'varchar' },
  query: `SELECT r.*, d.split_by FROM daily_rows r JOIN closed_days d
  ON r.account_id = d.account_id AND r."date" = d.day AND r.shard = d.shard AND r.version = d.version WHERE d.is_closed`,
};

/** Columns with the values of the reported tags, in the order of `split_by`; a missing value is an empty text. */
const tagColumns = Array.from({ length: MAX_REPORTED_TAGS }, (_, index) => `tag_${index + 1}`);

/** SQL for the name of a reported tag; null if the part reports fewer tags. */
const tagName = (column: string) => `json_extract_scalar(split_by, '$[${tagColumns.indexOf(column)}].S')`;

/** SQL for the tag columns of items with a column `tags`, joined with `closed_days`. */
const tagValues = tagColumns
  .map((column) => {
    const value = `element_at(CAST(json_extract(tags, '$.M') AS MAP(VARCHAR, JSON)), ${tagName(column)})`;
    return `coalesce(json_extract_scalar(${value}, '$.S'), '') AS ${column}`;
  })
  .join(',\n    ');

/** Attributes of a daily row whose values are those of its first record. */
const rowTexts = ['workspace_id', 'model', 'model_permaslug', 'endpoint_id', 'provider_name'];

/** Sums in a daily row, and the amount that each record contributes. */
const rowSums: Record<string, { of: string; type: ColumnType }> = {
  usage_rub: { of: 'total_cost_rub', type: AMOUNT_TYPE },
  cache_saved_rub: { of: 'cache_saved_rub', type: AMOUNT_TYPE },
  requests: { of: '1', type: 'bigint' },
  prompt_tokens: { of: 'tokens_prompt', type: 'bigint' },
  completion_tokens: { of: 'tokens_completion', type: 'bigint' },
  reasoning_tokens: { of: 'native_tokens_reasoning', type: 'bigint' },
};

const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'varchar'] as const));

const expectedRows: BooksView = {
  name: 'expected_rows',
  columns: {
    ...texts(['account_id', 'day', 'name', 'level', 'first_generation', 'key_hash', 'member_id', ...rowTexts]),
    ...Object.fromEntries(Object.entries(rowSums).map(([name, { type }]) => [name, type])),
    ...texts(tagColumns),
  },
  query: `WITH activity AS (
  SELECT *, split_part(pk, '#', 3) AS day, CAST(split_part(pk, '#', 4) AS BIGINT) AS shard FROM generations
  WHERE state = 'final' AND (total_cost_rub <> 0 OR (NOT cancelled AND finish_reason IS DISTINCT FROM 'error'))
), owned AS (
  SELECT a.*, level, version, CASE WHEN level = 'KEY' THEN split_by END AS split_by,
    CASE level WHEN 'WORKSPACE' THEN workspace_id WHEN 'KEY' THEN key_hash ELSE member_id || '#' || workspace_id END AS owner
  FROM activity a JOIN closed_days d ON d.account_id = a.account_id AND d.day = a.day AND d.shard = a.shard
    CROSS JOIN ${valuesTable(['WORKSPACE', 'KEY', 'MEMBER'], 'levels', 'level')}
  WHERE is_closed AND (level <> 'MEMBER' OR member_id IS NOT NULL)
), tagged AS (
  SELECT *, ${tagValues} FROM owned
), of_combinations AS (
  SELECT *, ${tagColumns.join(' || ')} <> '' AS is_tagged,
    min(id) OVER (PARTITION BY account_id, day, shard, level, owner, ${tagColumns.join(', ')}) AS first_id
  FROM tagged
), placed AS (
  SELECT *, dense_rank() OVER (PARTITION BY account_id, day, shard, level, owner, is_tagged ORDER BY first_id) AS place
  FROM of_combinations
), counted AS (
  SELECT *, is_tagged AND place > ${MAX_TAG_COMBINATIONS} AS is_other FROM placed
), named AS (
  SELECT *, ${tagColumns
    .map(
      (column) =>
        `CASE WHEN is_other AND ${tagName(column)} IS NOT NULL THEN '${OTHER_TAG_VALUES}' ELSE ${column} END AS row_${column}`,
    )
    .join(',\n    ')},
    concat_ws('#', level, owner, endpoint_id, model, model_permaslug, CAST(shard AS VARCHAR), CAST(version AS VARCHAR)) AS name
  FROM counted
)
SELECT account_id, day, name, level, min(id) AS first_generation,
  CASE WHEN level = 'KEY' THEN min(key_hash) END AS key_hash,
  CASE WHEN level <> 'WORKSPACE' THEN min_by(member_id, id) END AS member_id,
  ${rowTexts.map((text) => `min_by(${text}, id) AS ${text}`).join(', ')},
  ${Object.entries(rowSums)
    .map(([name, { of }]) => `sum(coalesce(${of}, 0)) AS ${name}`)
    .join(',\n  ')},
  ${tagColumns.map((column) => `row_${column} AS ${column}`).join(', ')}
FROM named GROUP BY account_id, day, name, level, ${tagColumns.map((column) => `row_${column}`).join(', ')}`,
};

/**
 * SQL for each attribute of a daily row, as stored (`row`) and as computed (`records`). A missing row counts as a row
 * without requests.
 */
const compared: Record<string, { row: string; records: string }> = Object.fromEntries([
  ...['level', 'key_hash', 'member_id', ...rowTexts].map((name) => [
    name,
    {
      row: `CASE WHEN r.sk IS NULL THEN e.${name} ELSE r.${name} END`,
      records: `CASE WHEN e.name IS NULL THEN r.${name} ELSE e.${name} END`,
    },
  ]),
  ...Object.keys(rowSums).map((name) => [
    name,
    { row: `CAST(coalesce(r.${name}, 0) AS VARCHAR)`, records: `CAST(coalesce(e.${name}, 0) AS VARCHAR)` },
  ]),
]) as Record<string, { row: string; records: string }>;

function comparedAs(side: 'row' | 'records'): string {
  const cases = Object.entries(compared).map(([field, sides]) => `WHEN '${field}' THEN ${sides[side]}`);
  return `CASE field\n      ${cases.join('\n      ')} END`;
}

const dayDrift: BooksView = {
  name: 'day_drift',
  columns: texts(['account_id', 'day', 'row_name', 'first_generation', 'field', 'row_says', 'records_say']),
  query: `WITH named_rows AS (
  -- The end of the name is a hash of the tags, which are compared instead.
  SELECT *, CASE WHEN tags IS NULL THEN sk ELSE substr(sk, 1, length(sk) - ${TAGS_SUFFIX_LENGTH}) END AS name,
    ${tagValues}
  FROM current_rows
), compared AS (
  SELECT coalesce(r.account_id, e.account_id) AS account_id, coalesce(r."date", e.day) AS day, coalesce(r.sk, e.name) AS row_name,
    first_generation, field,
    ${comparedAs('row')} AS row_says,
    ${comparedAs('records')} AS records_say
  FROM named_rows r FULL JOIN expected_rows e ON r.account_id = e.account_id AND r."date" = e.day AND r.name = e.name
      ${tagColumns.map((column) => `AND r.${column} = e.${column}`).join(' ')}
    CROSS JOIN ${valuesTable(Object.keys(compared), 'fields', 'field')}
)
SELECT account_id, day, row_name, first_generation, field, row_says, records_say FROM compared WHERE row_says IS DISTINCT FROM records_say`,
};

/** Each view comes after the views that it reads. */
export const dayViews: readonly BooksView[] = [closedDays, currentRows, expectedRows, dayDrift];
