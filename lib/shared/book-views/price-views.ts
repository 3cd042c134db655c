/** The cost that each generation should have, by its own fields: each request to a provider with its prices, and their sum. */

import {
  AMOUNT_TYPE,
  amountAt,
  countAt,
  documentAt,
  listAt,
  textAt,
  ZERO,
  type BooksView,
  type ColumnType,
} from './view.ts';

const TOKENS = {
  prompt: 'tokens_prompt',
  completion: 'tokens_completion',
  cached: 'native_tokens_cached',
  written: 'cache_write_tokens',
  written1h: 'cache_write_1h_tokens',
  reasoning: 'native_tokens_reasoning',
  images: 'priced_images',
};
const tokenNames = Object.keys(TOKENS).join(', ');

/** Prices by which tokens are charged, and which a tier may change. */
const TIERED_PRICES = {
  prompt: 'prompt_price',
  completion: 'completion_price',
  input_cache_read: 'cache_read_price',
  input_cache_write: 'cache_write_price',
  input_cache_write_1h: 'cache_write_1h_price',
  internal_reasoning: 'reasoning_price',
  thinking_completion: 'thinking_completion_price',
};

function columnsOfType<Type extends ColumnType>(names: readonly string[], type: Type): Record<string, Type> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

/**
 * One row for each request to a provider, with the prices that it is charged at: those of the highest tier that the prompt passes,
 * and the plain ones where the tier has none.
 */
const rounds: BooksView = {
  name: 'rounds',
  columns: {
    id: 'varchar',
    round: 'bigint',
    ...columnsOfType(Object.values(TOKENS), 'bigint'),
    tier_above_tokens: 'bigint',
    ...columnsOfType(Object.values(TIERED_PRICES), AMOUNT_TYPE),
    cost_rub: AMOUNT_TYPE,
  },
  query: `WITH asked AS (
  SELECT ${textAt('item', 'id.S')} AS id, item, ${documentAt('item', 'prices.M')} AS prices,
    coalesce(${listAt('item', 'rounds.L')}, ARRAY[CAST(NULL AS JSON)]) AS of_providers
  FROM items WHERE entity = 'generation' AND ${textAt('item', 'state.S')} = 'final'
), single AS (
  SELECT id, round, prices, CASE WHEN one IS NULL THEN item ELSE ${documentAt('one', 'M')} END AS used
  FROM asked CROSS JOIN UNNEST(of_providers) WITH ORDINALITY AS provider(one, round)
), tokens AS (
  SELECT id, round, prices,
    ${Object.entries(TOKENS)
      .map(([name, attribute]) => `coalesce(${countAt('used', attribute)}, 0) AS ${name}`)
      .join(',\n    ')}
  FROM single
), tiered AS (
  SELECT id, round, prices, ${tokenNames}, json_format(one) AS tier, ${countAt('one', 'M.min_prompt_tokens')} AS above
  FROM tokens LEFT JOIN UNNEST(${listAt('prices', 'overrides.L')}) AS tiers(one) ON TRUE
), priced AS (
  SELECT id, round, prices, ${tokenNames},
    max(CASE WHEN prompt > above THEN above END) AS tier_above_tokens, max_by(tier, CASE WHEN prompt > above THEN above END) AS tier
  FROM tiered GROUP BY id, round, prices, ${tokenNames}
), unit AS (
  SELECT id, round, prices, ${tokenNames}, tier_above_tokens,
    ${Object.entries(TIERED_PRICES)
      .map(([name, price]) => `coalesce(${amountAt('tier', `M.${name}`)}, ${amountAt('prices', name)}) AS ${price}`)
      .join(',\n    ')}
  FROM priced
)
SELECT id, round, ${Object.entries(TOKENS)
    .map(([name, attribute]) => `${name} AS ${attribute}`)
    .join(', ')}, tier_above_tokens,
  ${Object.values(TIERED_PRICES).join(', ')},
  CASE WHEN prompt = 0 AND completion = 0 THEN ${ZERO} ELSE
    coalesce(${amountAt('prices', 'request')}, ${ZERO})
    + prompt_price * (prompt - cached - written - written1h)
    + coalesce(cache_read_price, prompt_price) * cached
    + coalesce(cache_write_price, prompt_price) * written
    + coalesce(cache_write_1h_price, cache_write_price, prompt_price) * written1h
    + CASE WHEN reasoning > 0 THEN coalesce(thinking_completion_price, completion_price) ELSE completion_price END
      * (completion - CASE WHEN reasoning_price IS NULL THEN 0 ELSE reasoning END)
    + coalesce(reasoning_price, ${ZERO}) * reasoning
    + coalesce(${amountAt('prices', 'image')}, ${ZERO}) * images
  END AS cost_rub
FROM unit`,
};

const proofs: BooksView = {
  name: 'proofs',
  columns: {
    id: 'varchar',
    account_id: 'varchar',
    created_at: 'varchar',
    total_cost_rub: AMOUNT_TYPE,
    hold_rub: AMOUNT_TYPE,
    expected_rub: AMOUNT_TYPE,
    is_above_hold: 'boolean',
    has_other_tokens: 'boolean',
  },
  query: `WITH summed AS (
  SELECT id, sum(cost_rub) AS of_rounds, ${Object.entries(TOKENS)
    .map(([name, attribute]) => `sum(${attribute}) AS ${name}`)
    .join(', ')}
  FROM rounds GROUP BY id
), expected AS (
  SELECT g.id, g.account_id, g.created_at, coalesce(g.total_cost_rub, ${ZERO}) AS total_cost_rub, g.hold_rub, g.capped,
    s.of_rounds
    + coalesce(${amountAt('g.prices', 'M.web_search')}, ${ZERO}) * coalesce(g.num_search_requests, 0)
    + coalesce(${amountAt('g.prices', 'M.video_second')}, ${ZERO}) * coalesce(g.video_seconds, 0) AS uncut_rub,
    coalesce(json_array_length(json_extract(g.held_scopes, '$.L')), 0) > 0 AS is_held,
    ${Object.entries(TOKENS)
      .map(([name, attribute]) => `s.${name} <> coalesce(g.${attribute}, 0)`)
      .join(' OR ')} AS has_other_tokens
  FROM generations g JOIN summed s ON s.id = g.id WHERE g.state = 'final'
)
SELECT id, account_id, created_at, total_cost_rub, hold_rub,
  CASE WHEN capped AND is_held AND hold_rub < uncut_rub THEN hold_rub ELSE uncut_rub END AS expected_rub,
  is_held AND total_cost_rub > hold_rub AS is_above_hold, has_other_tokens
FROM expected`,
};

const unproven: BooksView = {
  name: 'unproven',
  columns: proofs.columns,
  query: 'SELECT * FROM proofs WHERE total_cost_rub <> expected_rub OR is_above_hold OR has_other_tokens',
};

/** Views that others read stand before them. */
export const priceViews: readonly BooksView[] = [rounds, proofs, unproven];
