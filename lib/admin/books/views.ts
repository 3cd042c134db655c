/**
 * The views that reviewers query, as SQL of DuckDB over the lines of an export. Those of single kinds of items are generated from
 * the store's lists of attributes, so that no field can be forgotten.
 *
 * Guarantee: amounts are DECIMAL(38,12) from their digits on, and never a floating-point number; one with more than twelve digits
 * behind the point is an error, because it would be rounded.
 */

import { reviewedItems } from '../../../lambdas/store/reviewed-items.ts';
import type { Attribute } from '../../../lambdas/store/record.ts';

/** Amounts as DynamoDB has them: digits in a text. */
const macros = `
CREATE MACRO rub(digits) AS CASE
  WHEN regexp_matches(digits, '[.][0-9]{12}[0-9]*[1-9]$') AND NOT regexp_matches(digits, '[.][0-9]{12}$')
  THEN error('more than twelve digits: ' || digits)
  ELSE CAST(digits AS DECIMAL(38, 12)) END;
CREATE MACRO number_in(map, name) AS json_extract_string(map, '$.' || name || '.N');
CREATE MACRO count_in(map, name) AS coalesce(CAST(number_in(map, name) AS BIGINT), 0);
CREATE MACRO rub_in(map, name) AS rub(number_in(map, name));
`;

/** A view of one kind of items: an attribute each, and the item's key. */
function viewOf(name: string, { entities, attributes }: (typeof reviewedItems)[string]): string {
  const columns = attributes.map((attribute) => `  ${valueOf(attribute)} AS ${attribute.name}`);
  const kinds = entities.map((entity) => `'${entity}'`).join(', ');
  return `CREATE VIEW ${name} AS SELECT
${columns.join(',\n')},
  (Item->>'$.pk.S') AS pk,
  (Item->>'$.sk.S') AS sk
FROM items WHERE (Item->>'$.entity.S') IN (${kinds});
`;
}

function valueOf({ name, form }: Attribute): string {
  switch (form) {
    case 'text':
    case 'time':
      return `(Item->>'$.${name}.S')`;
    case 'flag':
      return `coalesce(CAST(Item->>'$.${name}.BOOL' AS BOOLEAN), false)`;
    case 'count':
      return `CAST(Item->>'$.${name}.N' AS BIGINT)`;
    case 'money':
      return `rub(Item->>'$.${name}.N')`;
    case 'document':
      return `(Item->'$.${name}')`;
  }
}

/**
 * Each window of each counter, with the parts that it names: others were added to it. What is absent is zero, because changes of zero
 * are not written.
 */
const counters = `
CREATE VIEW counters AS
WITH stored AS (
  SELECT Item, (Item->>'$.pk.S') AS pk, split_part((Item->>'$.sk.S'), '#', 2) AS part_of, (Item->>'$.spread.S') AS spread
  FROM items WHERE (Item->>'$.pk.S') LIKE 'COUNTER#%'
), counted AS (
  SELECT Item FROM stored WHERE part_of = ''
    OR (pk, part_of) IN (SELECT (pk, spread) FROM stored WHERE part_of = '' AND spread IS NOT NULL)
), named AS (
  SELECT Item, unnest(json_keys(Item)) AS attribute FROM counted
), windows AS (
  SELECT DISTINCT (Item->>'$.pk.S') AS pk, Item, regexp_extract(attribute, '^(spent|committed)_(.+)$', 2) AS counted
  FROM named WHERE regexp_matches(attribute, '^(spent|committed)_')
)
SELECT
  split_part(pk, '#', 2) AS scope_kind,
  substr(pk, length('COUNTER#' || split_part(pk, '#', 2) || '#') + 1) AS scope_id,
  counted AS "window",
  sum(coalesce(rub(json_extract_string(Item, '$."spent_' || counted || '".N')), 0)) AS spent_rub,
  sum(coalesce(rub(json_extract_string(Item, '$."committed_' || counted || '".N')), 0)) AS committed_rub
FROM windows GROUP BY pk, counted;
`;

const TOKENS = {
  prompt: 'tokens_prompt',
  completion: 'tokens_completion',
  cached: 'native_tokens_cached',
  written: 'cache_write_tokens',
  written1h: 'cache_write_1h_tokens',
  reasoning: 'native_tokens_reasoning',
};

/**
 * One row for each request to a provider, with the prices that it is charged at: those of the highest tier that the prompt passes,
 * and the plain ones where the tier has none.
 */
const rounds = `
CREATE VIEW rounds AS
WITH asked AS (
  SELECT (Item->>'$.id.S') AS id, (Item->'$.prices.M') AS prices,
    CASE WHEN (Item->'$.rounds.L') IS NULL THEN [Item]
      ELSE list_transform(CAST(Item->'$.rounds.L' AS JSON[]), lambda one: json_extract(one, '$.M')) END AS of_providers,
    coalesce(CAST(Item->'$.prices.M.overrides.L' AS JSON[]), []) AS tiers
  FROM items WHERE (Item->>'$.entity.S') = 'generation' AND (Item->>'$.state.S') = 'final'
), single AS (
  SELECT id, prices, tiers, unnest(of_providers) AS used, generate_subscripts(of_providers, 1) AS round FROM asked
), tokens AS (
  SELECT id, round, prices, tiers,
    ${Object.entries(TOKENS)
      .map(([name, attribute]) => `count_in(used, '${attribute}') AS ${name}`)
      .join(',\n    ')},
    count_in(used, 'priced_images') AS images
  FROM single
), tiered AS (
  SELECT *, list_filter(tiers, lambda tier: prompt > CAST(json_extract_string(tier, '$.M.min_prompt_tokens.N') AS BIGINT)) AS passed FROM tokens
), priced AS (
  SELECT *, CASE WHEN len(passed) = 0 THEN NULL ELSE list_reduce(passed, lambda a, b:
    CASE WHEN CAST(json_extract_string(a, '$.M.min_prompt_tokens.N') AS BIGINT) > CAST(json_extract_string(b, '$.M.min_prompt_tokens.N') AS BIGINT) THEN a ELSE b END) END AS tier_item
  FROM tiered
), mapped AS (
  SELECT *, json_extract(tier_item, '$.M') AS tier FROM priced
), unit AS (
  SELECT *,
    coalesce(rub_in(tier, 'prompt'), rub_in(prices, 'prompt')) AS prompt_price,
    coalesce(rub_in(tier, 'completion'), rub_in(prices, 'completion')) AS completion_price,
    coalesce(rub_in(tier, 'input_cache_read'), rub_in(prices, 'input_cache_read')) AS cache_read_price,
    coalesce(rub_in(tier, 'input_cache_write'), rub_in(prices, 'input_cache_write')) AS cache_write_price,
    coalesce(rub_in(tier, 'input_cache_write_1h'), rub_in(prices, 'input_cache_write_1h')) AS cache_write_1h_price,
    coalesce(rub_in(tier, 'internal_reasoning'), rub_in(prices, 'internal_reasoning')) AS reasoning_price
  FROM mapped
)
SELECT id, round, prompt AS tokens_prompt, completion AS tokens_completion, cached AS native_tokens_cached,
  written AS cache_write_tokens, written1h AS cache_write_1h_tokens, reasoning AS native_tokens_reasoning, images AS priced_images,
  CAST(tier->>'$.min_prompt_tokens.N' AS BIGINT) AS tier_above_tokens,
  prompt_price, completion_price, cache_read_price, cache_write_price, cache_write_1h_price, reasoning_price,
  CASE WHEN prompt = 0 AND completion = 0 THEN CAST(0 AS DECIMAL(38, 12)) ELSE
    coalesce(rub_in(prices, 'request'), 0)
    + prompt_price * (prompt - cached - written - written1h)
    + coalesce(cache_read_price, prompt_price) * cached
    + coalesce(cache_write_price, prompt_price) * written
    + coalesce(cache_write_1h_price, cache_write_price, prompt_price) * written1h
    + completion_price * (completion - CASE WHEN reasoning_price IS NULL THEN 0 ELSE reasoning END)
    + coalesce(reasoning_price, 0) * reasoning
    + coalesce(rub_in(prices, 'image'), 0) * images
  END AS cost_rub
FROM unit;
`;

/** Those that a generation has of all its rounds together. */
const recordedTokens = [...Object.values(TOKENS), 'priced_images'];

/** What each final generation should have cost, by its own fields. */
const proofs = `
CREATE VIEW proofs AS
WITH summed AS (
  SELECT id, sum(cost_rub) AS of_rounds, ${recordedTokens.map((name) => `sum(${name})`).join(" || ',' || ")} AS tokens_of_rounds
  FROM rounds GROUP BY id
), expected AS (
  SELECT g.*, s.of_rounds
    + coalesce(rub_in(prices->'$.M', 'web_search'), 0) * coalesce(num_search_requests, 0)
    + coalesce(rub_in(prices->'$.M', 'video_second'), 0) * coalesce(video_seconds, 0) AS uncut_rub,
    coalesce(json_array_length(held_scopes->'$.L'), 0) > 0 AS is_held,
    s.tokens_of_rounds <> ${recordedTokens.map((name) => `coalesce(g.${name}, 0)`).join(" || ',' || ")} AS has_other_tokens
  FROM generations g JOIN summed s USING (id) WHERE state = 'final'
)
SELECT id, account_id, created_at, coalesce(total_cost_rub, 0) AS total_cost_rub, hold_rub,
  CASE WHEN capped AND is_held THEN least(uncut_rub, hold_rub) ELSE uncut_rub END AS expected_rub,
  is_held AND coalesce(total_cost_rub, 0) > hold_rub AS is_above_hold, has_other_tokens
FROM expected;
CREATE VIEW unproven AS SELECT * FROM proofs WHERE total_cost_rub <> expected_rub OR is_above_hold OR has_other_tokens;
`;

/** Each window of each counter against the records of its days. Lifetime windows need every record there ever was. */
const drift = `
CREATE VIEW spent_in_scopes AS
WITH spent AS (
  SELECT account_id, workspace_id, member_id, key_hash, substr(created_at, 1, 10) AS day,
    CASE WHEN state = 'final' THEN coalesce(total_cost_rub, 0) ELSE 0 END AS spent_rub,
    CASE WHEN state = 'final' THEN 0 ELSE hold_rub END AS held_rub,
    list_transform(coalesce(CAST(held_scopes->'$.L' AS JSON[]), []), lambda scope: json_extract_string(scope, '$.S')) AS held_in
  FROM generations
), scoped AS (
  SELECT 'account' AS scope_kind, account_id AS scope_id, * FROM spent
  UNION ALL SELECT 'workspace', workspace_id, * FROM spent
  UNION ALL SELECT 'key', key_hash, * FROM spent
  UNION ALL SELECT 'member', workspace_id || '/' || member_id, * FROM spent WHERE member_id IS NOT NULL
), windowed AS (
  SELECT *, unnest(['day_' || day, 'week_' || strftime(date_trunc('week', CAST(day AS DATE)), '%Y-%m-%d'),
    'month_' || substr(day, 1, 7), 'lifetime']) AS "window" FROM scoped
)
SELECT scope_kind, scope_id, "window", sum(spent_rub) AS spent_rub,
  sum(CASE WHEN list_contains(held_in, scope_kind) THEN held_rub ELSE 0 END) AS held_rub
FROM windowed GROUP BY ALL;
CREATE VIEW drift AS
SELECT coalesce(c.scope_kind, s.scope_kind) AS scope_kind, coalesce(c.scope_id, s.scope_id) AS scope_id,
  coalesce(c."window", s."window") AS "window",
  c.spent_rub AS counter_spent_rub, coalesce(s.spent_rub, 0) AS records_spent_rub,
  c.committed_rub - c.spent_rub AS counter_held_rub, coalesce(s.held_rub, 0) AS records_held_rub
FROM counters c FULL JOIN spent_in_scopes s
  ON c.scope_kind = s.scope_kind AND c.scope_id = s.scope_id AND c."window" = s."window"
WHERE c.spent_rub <> coalesce(s.spent_rub, 0) OR c.committed_rub - c.spent_rub <> coalesce(s.held_rub, 0)
  -- Windows that have ended are removed; what was ever spent is not.
  OR (c.scope_id IS NULL AND s."window" = 'lifetime' AND s.spent_rub <> 0);
`;

/**
 * Each UTC day of each model as it is counted, against its records. The first day that an account has counted is not compared: an
 * earlier release may have settled a part of it.
 */
const models = `
CREATE VIEW model_days AS
WITH months AS (
  SELECT (Item->>'$.account_id.S') AS account_id, (Item->>'$.month.S') AS month, (Item->>'$.model.S') AS model, Item,
    unnest(json_keys(Item)) AS attribute
  FROM items WHERE (Item->>'$.entity.S') = 'model_month'
)
SELECT account_id, month || '-' || substr(attribute, length('spent_day_') + 1) AS day, model,
  sum(rub(json_extract_string(Item, '$.' || attribute || '.N'))) AS spent_rub
FROM months WHERE starts_with(attribute, 'spent_day_') GROUP BY ALL;
CREATE VIEW model_drift AS
WITH first_days AS (
  SELECT account_id, min(day) AS first_day FROM model_days GROUP BY account_id
), recorded AS (
  SELECT account_id, substr(created_at, 1, 10) AS day, model, sum(coalesce(total_cost_rub, 0)) AS spent_rub
  FROM generations WHERE state = 'final' GROUP BY ALL
)
SELECT account_id, day, model, coalesce(c.spent_rub, 0) AS counted_spent_rub, coalesce(r.spent_rub, 0) AS records_spent_rub
FROM model_days c FULL JOIN recorded r USING (account_id, day, model) JOIN first_days USING (account_id)
WHERE day > first_day AND coalesce(c.spent_rub, 0) <> coalesce(r.spent_rub, 0);
`;

/** What all records of a daily row have in common. */
const rowTexts = ['workspace_id', 'model', 'model_permaslug', 'endpoint_id', 'provider_name'];

/** The sums of a daily row, and what each record adds to them. */
const rowSums = {
  usage_rub: 'total_cost_rub',
  cache_saved_rub: 'cache_saved_rub',
  requests: '1',
  prompt_tokens: 'tokens_prompt',
  completion_tokens: 'tokens_completion',
  reasoning_tokens: 'native_tokens_reasoning',
};

/** The daily rows that count, of days of which every part was rolled up, against those that the records come to, attribute by attribute. */
const rolledUp = `
CREATE VIEW closed_days AS
WITH parts AS (
  SELECT substr(Item->>'$.pk.S', length('ACTIVITY#') + 1) AS account_id, (Item->>'$.date.S') AS day, unnest(range(8)) AS shard, Item
  FROM items WHERE (Item->>'$.entity.S') = 'activity_day'
), versions AS (
  SELECT account_id, day, shard, CAST(json_extract_string(Item, '$.version_' || shard || '.N') AS BIGINT) AS version FROM parts
)
SELECT *, count(version) OVER (PARTITION BY account_id, day) = 8 AS is_closed FROM versions;
CREATE VIEW current_rows AS
SELECT r.* FROM daily_rows r JOIN closed_days d
  ON r.account_id = d.account_id AND r.date = d.day AND r.shard = d.shard AND r.version = d.version WHERE d.is_closed;
CREATE VIEW expected_rows AS
WITH activity AS (
  SELECT *, split_part(pk, '#', 3) AS day, CAST(split_part(pk, '#', 4) AS BIGINT) AS shard FROM generations
  WHERE state = 'final' AND (coalesce(total_cost_rub, 0) <> 0 OR (NOT cancelled AND finish_reason IS DISTINCT FROM 'error'))
), owned AS (
  SELECT 'WORKSPACE' AS level, workspace_id AS owner, * FROM activity
  UNION ALL SELECT 'KEY', key_hash, * FROM activity
  UNION ALL SELECT 'MEMBER', member_id || '#' || workspace_id, * FROM activity WHERE member_id IS NOT NULL
), named AS (
  SELECT concat_ws('#', level, owner, endpoint_id, model, model_permaslug, shard, version) AS name, owned.*
  FROM owned JOIN closed_days USING (account_id, day, shard) WHERE is_closed
)
SELECT account_id, day, name, level, min(id) AS first_generation,
  CASE WHEN level = 'KEY' THEN min(key_hash) END AS key_hash,
  CASE WHEN level <> 'WORKSPACE' THEN arg_min(member_id, id) END AS member_id,
  ${rowTexts.map((text) => `arg_min(${text}, id) AS ${text}`).join(', ')},
  ${Object.entries(rowSums)
    .map(([name, ofRecord]) => `sum(coalesce(${ofRecord}, 0)) AS ${name}`)
    .join(',\n  ')}
FROM named GROUP BY account_id, day, name, level;
CREATE VIEW day_drift AS
WITH compared AS (
  SELECT coalesce(r.account_id, e.account_id) AS account_id, coalesce(r.date, e.day) AS day, coalesce(r.sk, e.name) AS row_name, first_generation,
    unnest([
      ${comparedInRows().join(',\n      ')}
    ]) AS told
  FROM current_rows r FULL JOIN expected_rows e ON r.account_id = e.account_id AND r.date = e.day AND r.sk = e.name
)
SELECT account_id, day, row_name, first_generation, told.field AS field, told.row_says AS row_says, told.records_say AS records_say
FROM compared WHERE told.row_says IS DISTINCT FROM told.records_say;
`;

/** Each attribute of a row beside what the records say of it; a row that is missing on one side counts as one without requests. */
function comparedInRows(): string[] {
  const texts = ['level', 'key_hash', 'member_id', ...rowTexts].map((name) =>
    comparedAs(
      name,
      `CASE WHEN r.sk IS NULL THEN e.${name} ELSE r.${name} END`,
      `CASE WHEN e.name IS NULL THEN r.${name} ELSE e.${name} END`,
    ),
  );
  const sums = Object.keys(rowSums).map((name) => comparedAs(name, `coalesce(r.${name}, 0)`, `coalesce(e.${name}, 0)`));
  return [...texts, ...sums];
}

function comparedAs(field: string, ofRow: string, ofRecords: string): string {
  return `{'field': '${field}', 'row_says': CAST(${ofRow} AS VARCHAR), 'records_say': CAST(${ofRecords} AS VARCHAR)}`;
}

/** What was paid in and given back, against the limits that follow from it. */
const payments = `
CREATE VIEW payment_drift AS
WITH paid AS (SELECT split_part(pk, '#', 2) AS account_id, sum(amount_rub) AS paid_rub FROM payments GROUP BY ALL),
limited AS (
  SELECT id AS account_id, coalesce(rub(limits->>'$.M.lifetime.N'), 0) AS limit_rub FROM accounts WHERE mode = 'prepaid'
), counted AS (
  SELECT (Item->>'$.scope_id.S') AS account_id, coalesce(rub(Item->>'$.limits.M.lifetime.N'), 0) AS counter_limit_rub
  FROM items WHERE (Item->>'$.pk.S') LIKE 'COUNTER#account#%' AND (Item->>'$.sk.S') = 'COUNTER'
)
SELECT account_id, coalesce(paid_rub, 0) AS paid_rub, limit_rub, coalesce(counter_limit_rub, 0) AS counter_limit_rub
FROM limited LEFT JOIN paid USING (account_id) LEFT JOIN counted USING (account_id)
WHERE coalesce(paid_rub, 0) <> limit_rub OR limit_rub <> coalesce(counter_limit_rub, 0);
`;

/** Views that must be empty, and what a row of each says. */
export const checkedViews = {
  unproven: 'a record whose price does not follow from its fields',
  drift: 'a counter that says something else than the records',
  model_drift: 'a day of a model that says something else than the records',
  day_drift: 'an attribute of a closed day’s row that says something else than the records',
  payment_drift: 'a prepaid account whose limit is not what was paid in',
} as const;

/** Statements that make all views over the view `items`, which has each item as JSON in a column `Item`. */
export function viewStatements(): string {
  const generated = Object.entries(reviewedItems).map(([name, of]) => viewOf(name, of));
  return [macros, ...generated, counters, rounds, proofs, drift, models, rolledUp, payments].join('\n');
}

/** Names of the views, for people to choose from. */
export const viewNames: readonly string[] = [
  ...Object.keys(reviewedItems),
  'counters',
  'rounds',
  'proofs',
  'spent_in_scopes',
  'model_days',
  'closed_days',
  'current_rows',
  'expected_rows',
  ...Object.keys(checkedViews),
];
