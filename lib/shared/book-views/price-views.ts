/**
 * Views that compute the cost of each generation from its own fields: the cost of each request to a provider, and the
 * sum.
 */

import {
  completionParts,
  generationUnits,
  priceNameOf,
  promptParts,
  roundPieces,
  type RecordedUnit,
  type TokenUnit,
} from '../../../lambdas/catalog/unit-lists.ts';
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

/** Columns with the counts of one request to a provider. */
const TOKENS: Record<string, string> = {
  prompt: 'tokens_prompt',
  completion: 'tokens_completion',
  ...countsOf(promptParts),
  ...countsOf(completionParts),
  ...countsOf(roundPieces),
};
const tokenNames = Object.keys(TOKENS).join(', ');

/** Columns with the token prices that a price tier (for longer prompts) may override. */
const TIERED_PRICES: Record<string, string> = {
  prompt: 'prompt_price',
  completion: 'completion_price',
  ...Object.fromEntries([...promptParts, ...completionParts].flatMap(priceColumnsOf)),
};

function countsOf(units: readonly RecordedUnit[]): Record<string, string> {
  return Object.fromEntries(units.map(({ meter, record: [, attribute] }) => [meter, attribute]));
}

function priceColumnsOf({ meter, prices: [name], rest }: TokenUnit): (readonly [string, string])[] {
  return [[name, `${meter}_price`], ...(rest ? [[rest.price, `${rest.price}_price`] as const] : [])];
}

/**
 * SQL for the price of output tokens that belong to no other meter. If the request has output tokens of certain meters
 * (for example reasoning), a different price applies.
 */
const restPrice = completionParts.reduceRight(
  (price, { meter, rest }) =>
    rest ? `CASE WHEN ${meter} > 0 THEN coalesce(${rest.price}_price, ${price}) ELSE ${price} END` : price,
  'completion_price',
);

/** Returns SQL for the price at which a unit is charged: the first of its prices that is set. */
function chargedAt({ prices }: RecordedUnit): string {
  return `coalesce(${prices.map((name) => TIERED_PRICES[name]).join(', ')})`;
}

function chargeOfPiece(price: string, quantity: string): string {
  return `+ coalesce(${price}, ${ZERO}) * ${quantity}`;
}

const costTerms = [
  `coalesce(${amountAt('prices', 'request')}, ${ZERO})`,
  `+ prompt_price * (${['prompt', ...promptParts.map(({ meter }) => meter)].join(' - ')})`,
  ...promptParts.map((unit) => `+ ${chargedAt(unit)} * ${unit.meter}`),
  `+ ${restPrice}
      * (completion${completionParts.map((unit) => ` - CASE WHEN ${unit.meter}_price IS NULL THEN 0 ELSE ${unit.meter} END`).join('')})`,
  ...completionParts.map((unit) => `+ coalesce(${unit.meter}_price, ${ZERO}) * ${unit.meter}`),
  ...roundPieces.map((unit) => chargeOfPiece(amountAt('prices', priceNameOf(unit)), unit.meter)),
];

const onceTerms = generationUnits.map((unit) =>
  chargeOfPiece(amountAt('g.prices', `M.${priceNameOf(unit)}`), `coalesce(g.${unit.record[1]}, 0)`),
);

/** If all these counts are zero, the request costs nothing, not even the endpoint's fee per request. */
const usedCounts = ['prompt', 'completion', ...roundPieces.flatMap((unit) => (unit.alone ? unit.meter : []))];

function columnsOfType<Type extends ColumnType>(names: readonly string[], type: Type): Record<string, Type> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

/**
 * View with one row for each request to a provider. It has the prices of the highest tier that the prompt exceeds, and
 * the base prices of units whose price this tier does not override.
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
  CASE WHEN ${usedCounts.map((name) => `${name} = 0`).join(' AND ')} THEN ${ZERO} ELSE
    ${costTerms.join('\n    ')}
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
    ${onceTerms.join('\n    ')} AS uncut_rub,
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

/** Each view comes after the views that it reads. */
export const priceViews: readonly BooksView[] = [rounds, proofs, unproven];
