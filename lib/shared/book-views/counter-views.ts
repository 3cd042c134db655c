import {
  AMOUNT_TYPE,
  amountAt,
  amountOf,
  documentAt,
  listAt,
  textAt,
  valuesTable,
  ZERO,
  type BooksView,
} from './view.ts';

const itemAttributesSql = {
  columns: 'CAST(json_parse(item) AS MAP(VARCHAR, JSON)) AS attributes',
  names: 'CROSS JOIN UNNEST(map_keys(attributes)) AS named(name)',
  amount: amountOf(`json_extract_scalar(element_at(attributes, name), '$.N')`),
};

/**
 * View with each window (period) of each counter. A busy counter is split into parts, and its `spread` attribute names
 * the current parts. Parts with another name were merged into the counter, so they are ignored. A missing amount is
 * zero.
 */
const counters: BooksView = {
  name: 'counters',
  columns: {
    scope_kind: 'varchar',
    scope_id: 'varchar',
    window: 'varchar',
    spent_rub: AMOUNT_TYPE,
    committed_rub: AMOUNT_TYPE,
  },
  query: `WITH stored AS (
  SELECT CASE WHEN sk LIKE 'COUNTER#%' AND strpos(pk, substr(sk, 8)) > 0 THEN substr(pk, 1, strpos(pk, substr(sk, 8)) - 1) ELSE pk END AS pk,
    item, coalesce(split_part(sk, '#', 2), '') AS part_of, ${textAt('item', 'spread.S')} AS spread
  FROM items WHERE pk LIKE 'COUNTER#%'
), with_spread AS (
  SELECT pk, item, part_of, max(CASE WHEN part_of = '' THEN spread END) OVER (PARTITION BY pk) AS spread FROM stored
), counted AS (
  SELECT pk, ${itemAttributesSql.columns} FROM with_spread WHERE part_of = '' OR part_of = spread
), amounts AS (
  SELECT pk, substr(name, strpos(name, '_') + 1) AS counted, name LIKE 'spent%' AS is_spent, ${itemAttributesSql.amount} AS rub
  FROM counted ${itemAttributesSql.names} WHERE regexp_like(name, '^(spent|committed)_')
)
SELECT
  split_part(pk, '#', 2) AS scope_kind,
  substr(pk, length('COUNTER#' || split_part(pk, '#', 2) || '#') + 1) AS scope_id,
  counted AS "window",
  sum(CASE WHEN is_spent THEN rub ELSE ${ZERO} END) AS spent_rub,
  sum(CASE WHEN is_spent THEN ${ZERO} ELSE rub END) AS committed_rub
FROM amounts GROUP BY pk, counted`,
};

/** Returns SQL for a column of the lease itself, in a group with its generations, which may belong to other keys. */
const ofLease = (column: string) => `max(CASE WHEN entity = 'lease' THEN ${column} END)`;

/**
 * View with the remaining money of leases. A lease is money that a server holds in advance for the requests of a busy
 * payer. The remaining money is the part that no generation has drawn.
 */
const leasesLeft: BooksView = {
  name: 'leases_left',
  columns: {
    id: 'varchar',
    account_id: 'varchar',
    workspace_id: 'varchar',
    member_id: 'varchar',
    key_hash: 'varchar',
    held_scopes: 'varchar',
    day: 'varchar',
    left_rub: AMOUNT_TYPE,
  },
  query: `WITH sides AS (
  SELECT entity, ${textAt('item', 'id.S')} AS id, ${textAt('item', 'lease_id.S')} AS lease_id, ${textAt('item', 'state.S')} AS state,
    ${textAt('item', 'account_id.S')} AS account_id, ${textAt('item', 'workspace_id.S')} AS workspace_id,
    ${textAt('item', 'member_id.S')} AS member_id, ${textAt('item', 'key_hash.S')} AS key_hash,
    ${documentAt('item', 'held_scopes')} AS held_scopes, ${textAt('item', 'created_at.S')} AS created_at,
    coalesce(${amountAt('item', 'amount_rub')}, ${ZERO}) AS amount_rub, coalesce(${amountAt('item', 'leased_rub')}, ${ZERO}) AS leased_rub
  FROM items WHERE entity IN ('lease', 'generation')
), of_leases AS (
  SELECT * FROM sides WHERE lease_id IS NOT NULL OR (entity = 'lease' AND state = 'open')
)
SELECT coalesce(lease_id, id) AS id, ${ofLease('account_id')} AS account_id, ${ofLease('workspace_id')} AS workspace_id,
  ${ofLease('member_id')} AS member_id, ${ofLease('key_hash')} AS key_hash, ${ofLease('held_scopes')} AS held_scopes,
  ${ofLease('substr(created_at, 1, 10)')} AS day,
  sum(CASE WHEN entity = 'lease' THEN amount_rub ELSE -leased_rub END) AS left_rub
FROM of_leases GROUP BY coalesce(lease_id, id) HAVING max(CASE WHEN entity = 'lease' THEN 1 ELSE 0 END) = 1`,
};

/**
 * View with the sums of the records for each scope (for example a key) and window (period). The sums for lifetime
 * windows are complete only if the table still has all records.
 */
const spentInScopes: BooksView = {
  name: 'spent_in_scopes',
  columns: {
    scope_kind: 'varchar',
    scope_id: 'varchar',
    window: 'varchar',
    spent_rub: AMOUNT_TYPE,
    held_rub: AMOUNT_TYPE,
  },
  query: `WITH spent AS (
  SELECT account_id, workspace_id, member_id, key_hash, counted_tags, held_scopes, substr(created_at, 1, 10) AS day,
    CASE WHEN state = 'final' THEN coalesce(total_cost_rub, ${ZERO}) ELSE ${ZERO} END AS spent_rub,
    CASE WHEN state = 'final' THEN ${ZERO} ELSE hold_rub END AS held_rub
  FROM generations
  UNION ALL
  SELECT account_id, workspace_id, member_id, key_hash, NULL, held_scopes, day, ${ZERO}, left_rub FROM leases_left
), scoped AS (
  SELECT scope_kind, day, spent_rub,
    CASE scope_kind WHEN 'account' THEN account_id WHEN 'workspace' THEN workspace_id WHEN 'key' THEN key_hash
      ELSE workspace_id || '/' || member_id END AS scope_id,
    CASE WHEN strpos(held_scopes, '"' || scope_kind || '"') > 0 THEN held_rub ELSE ${ZERO} END AS held_rub
  FROM spent CROSS JOIN ${valuesTable(['account', 'workspace', 'key', 'member'], 'scopes', 'scope_kind')}
  WHERE scope_kind <> 'member' OR member_id IS NOT NULL
), of_tags AS (
  SELECT account_id, ${textAt('tag', 'S')} AS tag, held_scopes, day, spent_rub, held_rub
  FROM spent CROSS JOIN UNNEST(${listAt('counted_tags', 'L')}) AS tags(tag) WHERE counted_tags IS NOT NULL
), with_tags AS (
  SELECT scope_kind, day, spent_rub, scope_id, held_rub FROM scoped
  UNION ALL
  SELECT 'tag:' || split_part(tag, '=', 1), day, spent_rub, account_id || '/' || substr(tag, strpos(tag, '=') + 1),
    CASE WHEN strpos(held_scopes, '"tag:' || split_part(tag, '=', 1) || '"') > 0 THEN held_rub ELSE ${ZERO} END
  FROM of_tags
), days AS (
  SELECT scope_kind, scope_id, day, sum(spent_rub) AS spent_rub, sum(held_rub) AS held_rub
  FROM with_tags GROUP BY scope_kind, scope_id, day
), windowed AS (
  SELECT scope_kind, scope_id, "window", spent_rub, held_rub FROM days CROSS JOIN UNNEST(ARRAY['day_' || day,
    'week_' || CAST(CAST(date_trunc('week', CAST(day AS DATE)) AS DATE) AS VARCHAR),
    'month_' || substr(day, 1, 7), 'lifetime']) AS windows("window")
)
SELECT scope_kind, scope_id, "window", sum(spent_rub) AS spent_rub, sum(held_rub) AS held_rub
FROM windowed GROUP BY scope_kind, scope_id, "window"`,
};

const drift: BooksView = {
  name: 'drift',
  columns: {
    scope_kind: 'varchar',
    scope_id: 'varchar',
    window: 'varchar',
    counter_spent_rub: AMOUNT_TYPE,
    records_spent_rub: AMOUNT_TYPE,
    counter_held_rub: AMOUNT_TYPE,
    records_held_rub: AMOUNT_TYPE,
  },
  query: `SELECT coalesce(c.scope_kind, s.scope_kind) AS scope_kind, coalesce(c.scope_id, s.scope_id) AS scope_id,
  coalesce(c."window", s."window") AS "window",
  c.spent_rub AS counter_spent_rub, coalesce(s.spent_rub, ${ZERO}) AS records_spent_rub,
  c.committed_rub - c.spent_rub AS counter_held_rub, coalesce(s.held_rub, ${ZERO}) AS records_held_rub
FROM counters c FULL JOIN spent_in_scopes s
  ON c.scope_kind = s.scope_kind AND c.scope_id = s.scope_id AND c."window" = s."window"
WHERE c.spent_rub <> coalesce(s.spent_rub, ${ZERO}) OR c.committed_rub - c.spent_rub <> coalesce(s.held_rub, ${ZERO})
  -- Windows that have ended are removed; lifetime spending is not.
  OR (c.scope_id IS NULL AND s."window" = 'lifetime' AND s.spent_rub <> ${ZERO})`,
};

/** View with the spending on each model per UTC day, as counted by the gateway. */
const modelDays: BooksView = {
  name: 'model_days',
  columns: { account_id: 'varchar', day: 'varchar', model: 'varchar', spent_rub: AMOUNT_TYPE },
  query: `WITH months AS (
  SELECT ${textAt('item', 'account_id.S')} AS account_id, ${textAt('item', 'month.S')} AS of_month, ${textAt('item', 'model.S')} AS model,
    ${itemAttributesSql.columns}
  FROM items WHERE entity = 'model_month'
), days AS (
  SELECT account_id, of_month || '-' || substr(name, length('spent_day_') + 1) AS day, model, ${itemAttributesSql.amount} AS spent_rub
  FROM months ${itemAttributesSql.names} WHERE starts_with(name, 'spent_day_')
)
SELECT account_id, day, model, sum(spent_rub) AS spent_rub FROM days GROUP BY account_id, day, model`,
};

/**
 * View with the models and days whose counted spending differs from the records. The first counted day of an account is
 * skipped, because that day's counts may be incomplete.
 */
const modelDrift: BooksView = {
  name: 'model_drift',
  columns: {
    account_id: 'varchar',
    day: 'varchar',
    model: 'varchar',
    counted_spent_rub: AMOUNT_TYPE,
    records_spent_rub: AMOUNT_TYPE,
  },
  query: `WITH both_sides AS (
  SELECT account_id, day, model, day AS counted_day, spent_rub AS counted_rub, ${ZERO} AS recorded_rub FROM model_days
  UNION ALL
  SELECT account_id, substr(created_at, 1, 10), model, CAST(NULL AS VARCHAR), ${ZERO}, coalesce(total_cost_rub, ${ZERO})
  FROM generations WHERE state = 'final'
), days AS (
  SELECT account_id, day, model, min(counted_day) AS counted_day,
    sum(counted_rub) AS counted_spent_rub, sum(recorded_rub) AS records_spent_rub
  FROM both_sides GROUP BY account_id, day, model
), with_first_day AS (
  SELECT account_id, day, model, counted_spent_rub, records_spent_rub, min(counted_day) OVER (PARTITION BY account_id) AS first_day FROM days
)
SELECT account_id, day, model, counted_spent_rub, records_spent_rub
FROM with_first_day WHERE day > first_day AND counted_spent_rub <> records_spent_rub`,
};

/**
 * View with the prepaid accounts whose limit differs from the sum of their payments, or from the limit in their
 * counter.
 */
const paymentDrift: BooksView = {
  name: 'payment_drift',
  columns: { account_id: 'varchar', paid_rub: AMOUNT_TYPE, limit_rub: AMOUNT_TYPE, counter_limit_rub: AMOUNT_TYPE },
  query: `WITH paid AS (
  SELECT split_part(pk, '#', 2) AS account_id, sum(amount_rub) AS paid_rub FROM payments GROUP BY split_part(pk, '#', 2)
), limited AS (
  SELECT id AS account_id, coalesce(${amountAt('limits', 'M.lifetime')}, ${ZERO}) AS limit_rub FROM accounts WHERE mode = 'prepaid'
), counted AS (
  SELECT ${textAt('item', 'scope_id.S')} AS account_id, coalesce(${amountAt('item', 'limits.M.lifetime')}, ${ZERO}) AS counter_limit_rub
  FROM items WHERE pk LIKE 'COUNTER#account#%' AND sk = 'COUNTER'
)
SELECT l.account_id, coalesce(p.paid_rub, ${ZERO}) AS paid_rub, l.limit_rub, coalesce(c.counter_limit_rub, ${ZERO}) AS counter_limit_rub
FROM limited l LEFT JOIN paid p ON p.account_id = l.account_id LEFT JOIN counted c ON c.account_id = l.account_id
WHERE coalesce(p.paid_rub, ${ZERO}) <> l.limit_rub OR l.limit_rub <> coalesce(c.counter_limit_rub, ${ZERO})`,
};

/** Each view comes after the views that it reads. */
export const counterViews: readonly BooksView[] = [
  counters,
  leasesLeft,
  spentInScopes,
  drift,
  modelDays,
  modelDrift,
  paymentDrift,
];
