/**
 * Views of the bucket of exports, as Amazon Athena reads it: each line of each file is one text. They find the newest
 * content (image) of each item. Manifests are in the same folders as the data files, so Athena reads their lines too.
 * An export is ignored until its manifests exist, and only files that are named in the manifests belong to it.
 *
 * Weakness: Athena reads the exports of the month several times for one use of the view `items`.
 */

import { documentAt, itemColumns, textAt, type BooksView } from './view.ts';

/**
 * Earliest date prefix that these views read: the beginning of the month, or of the month before during the first week.
 * The full export at the beginning of a month may take days to complete.
 */
const EARLIEST_PREFIX_DATE = "CAST(CAST(date_trunc('month', current_date - INTERVAL '7' DAY) AS DATE) AS VARCHAR)";

const ofManifest = {
  export_id: 'varchar',
  kind: 'varchar',
  from_time: 'varchar',
  until_time: 'varchar',
  item_count: 'bigint',
} as const;

function timesOf(summary: string): string {
  return `kind, ${textAt(summary, 'exportFromTime')} AS from_time,
  coalesce(${textAt(summary, 'exportTime')}, ${textAt(summary, 'exportToTime')}) AS until_time`;
}

/**
 * Returns SQL that is true if an export has the kind (full or incremental) of its prefix. An export under the wrong
 * prefix is ignored, and the views show a gap.
 */
function isRead(summary: string): string {
  return `${textAt(summary, 'outputFormat')} = 'DYNAMODB_JSON' AND kind = CASE WHEN ${textAt(summary, 'exportTime')} IS NULL THEN 'incremental' ELSE 'full' END`;
}

const exports: BooksView = {
  name: 'exports',
  columns: ofManifest,
  query: `SELECT regexp_extract("$path", '([^/]+)/manifest-summary[.]json$', 1) AS export_id,
  ${timesOf('line')},
  CAST(${textAt('line', 'itemCount')} AS BIGINT) AS item_count
FROM lines WHERE dt >= ${EARLIEST_PREFIX_DATE} AND "$path" LIKE '%/manifest-summary.json' AND ${isRead('line')}`,
};

/**
 * View with the files of the last full export and of the later incremental exports. Keys in manifests begin with the
 * bucket's prefix at the time of the export, which may differ now.
 */
const exportFiles: BooksView = {
  name: 'export_files',
  columns: { ...ofManifest, path: 'varchar' },
  query: `WITH manifests AS (
  SELECT kind, regexp_extract("$path", '^(.*)/manifest-', 1) AS folder, "$path" LIKE '%/manifest-files.json' AS is_of_files, line
  FROM lines WHERE dt >= ${EARLIEST_PREFIX_DATE} AND regexp_like("$path", '/manifest-(summary|files)[.]json$')
), with_summary AS (
  SELECT kind, folder, is_of_files, line, max(CASE WHEN NOT is_of_files THEN line END) OVER (PARTITION BY folder) AS summary FROM manifests
), files AS (
  SELECT regexp_extract(folder, '([^/]+)$', 1) AS export_id,
  ${timesOf('summary')},
  CAST(${textAt('line', 'itemCount')} AS BIGINT) AS item_count,
  regexp_extract(folder, '^(.*/)[^/]+$', 1) || regexp_extract(${textAt('line', 'dataFileS3Key')}, 'AWSDynamoDB/(.*)$', 1) AS path
  FROM with_summary WHERE is_of_files AND ${isRead('summary')}
), with_last_full AS (
  SELECT export_id, kind, from_time, until_time, item_count, path, until_time || ' ' || export_id AS moment,
    max(CASE WHEN kind = 'full' THEN until_time || ' ' || export_id END) OVER () AS last_full
  FROM files
)
SELECT export_id, kind, from_time, until_time, item_count, path FROM with_last_full
WHERE moment = last_full OR (kind = 'incremental' AND until_time > split_part(last_full, ' ', 1))`,
};

const keyOf = (map: string) => `${textAt('line', `${map}.pk.S`)} AS pk, ${textAt('line', `${map}.sk.S`)} AS sk`;
const writtenAt = `CAST(coalesce(${textAt('line', 'Metadata.WriteTimestampMicros.N')}, ${textAt('line', 'Metadata.WriteTimestampMicros')}) AS BIGINT)`;
const exportLinesOfKind = (kind: string) =>
  `lines l JOIN export_files f ON f.path = l."$path" AND f.kind = l.kind WHERE l.kind = '${kind}' AND l.dt >= ${EARLIEST_PREFIX_DATE}`;

/** View with the newest content of each item; deleted items have no row. */
const items: BooksView = {
  name: 'items',
  columns: itemColumns,
  query: `WITH all_of_them AS (
  SELECT ${keyOf('Item')}, ${documentAt('line', 'Item')} AS item FROM ${exportLinesOfKind('full')}
), changes AS (
  SELECT ${keyOf('Keys')}, ${documentAt('line', 'NewImage')} AS item, ${writtenAt} AS written_at
  FROM ${exportLinesOfKind('incremental')}
), newest AS (
  SELECT pk, sk, item FROM (SELECT pk, sk, item, row_number() OVER (PARTITION BY pk, sk ORDER BY written_at DESC) AS age FROM changes) aged
  WHERE age = 1
), images AS (
  SELECT coalesce(c.pk, a.pk) AS pk, coalesce(c.sk, a.sk) AS sk, CASE WHEN c.pk IS NULL THEN a.item ELSE c.item END AS item
  FROM all_of_them a FULL JOIN newest c ON c.pk = a.pk AND c.sk = a.sk
)
SELECT pk, sk, ${textAt('item', 'entity.S')} AS entity, item FROM images WHERE item IS NOT NULL`,
};

/** View with the gaps between exports: a period that no export covers, or the lack of a full export. */
const exportGaps: BooksView = {
  name: 'export_gaps',
  columns: { says: 'varchar', from_time: 'varchar', until_time: 'varchar' },
  query: `WITH with_last_full AS (
  SELECT kind, from_time, until_time, max(CASE WHEN kind = 'full' THEN until_time END) OVER () AS last_full FROM exports
), with_covered AS (
  SELECT from_time, last_full,
    max(until_time) OVER (ORDER BY until_time, from_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM with_last_full WHERE kind = 'incremental' AND until_time > last_full
)
SELECT 'no export contains the writes of this period' AS says, coalesce(covered, last_full) AS from_time, from_time AS until_time
FROM with_covered WHERE from_time > coalesce(covered, last_full)
UNION ALL
SELECT 'no full export of this month is complete', CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR) FROM (SELECT count(*) AS found FROM exports WHERE kind = 'full') fulls WHERE found = 0`,
};

/** SQL for the JSON of a line; null unless the line is valid JSON and contains the key of an item. */
const wholeItem = `CASE WHEN coalesce(${textAt('line', 'Item.pk.S')}, ${textAt('line', 'Keys.pk.S')}) IS NOT NULL THEN json_extract(line, '$') END`;

/**
 * View with the files whose number of items differs from their manifest. Trino returns null for invalid JSON, without
 * an error.
 */
const exportDrift: BooksView = {
  name: 'export_drift',
  columns: { export_id: 'varchar', path: 'varchar', item_count: 'bigint', items_read: 'bigint' },
  query: `WITH counted AS (
  SELECT "$path" AS path, count(${wholeItem}) AS items_read
  FROM lines WHERE dt >= ${EARLIEST_PREFIX_DATE} AND "$path" LIKE '%.json.gz' GROUP BY "$path"
)
SELECT f.export_id, f.path, f.item_count, coalesce(c.items_read, 0) AS items_read
FROM export_files f LEFT JOIN counted c ON c.path = f.path WHERE f.item_count <> coalesce(c.items_read, 0)`,
};

/** Each view comes after the views that it reads. */
export const exportViews: readonly BooksView[] = [exports, exportFiles, items, exportGaps, exportDrift];
