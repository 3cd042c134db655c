/**
 * Reads usage reported by a provider, and checks every number. A value that is not a non-negative integer counts as not
 * reported, which differs from zero.
 */

import { completionUnits, countedUnits, pieces, type UsageField } from '../catalog/unit-lists.ts';
import { countOrAbsent } from '../messages/usage-counts.ts';
import { isRecord, recordOrEmpty } from '../platform/json/foreign-json.ts';
import { withoutUndefined } from '../platform/json/records.ts';

type ReportedField = UsageField | 'cacheWriteTokens';

/** `cacheWriteTokens` includes cache writes of all lifetimes. */
export type ReportedUsage = { [Field in ReportedField]?: number };

/** Reads usage counts from any value. */
export function readReportedUsage(usage: unknown): ReportedUsage {
  if (!isRecord(usage)) return {};
  // A provider that compacted the conversation lists several iterations; only their sum is the whole usage.
  const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isRecord) : [];
  if (iterations.length < 2) return readCounts(usage);
  const summed = iterations.map((iteration) => readCounts(iteration)).reduce(addCount, {});
  return { ...readCounts(usage), ...summed };
}

/** Values of usage fields for which the catalog's prices apply. */
const pricedValues: Record<string, unknown[]> = {
  service_tier: ['standard'],
  speed: ['standard'],
  inference_geo: ['global', 'not_available', ''],
};

/** Returns the names of usage fields that indicate a charge without a price in the catalog. */
export function unpricedSigns(usage: unknown): string[] {
  if (!isRecord(usage)) return [];
  const fields = Object.entries(pricedValues)
    .filter(([name, values]) => typeof usage[name] === 'string' && !values.includes(usage[name]))
    .map(([name]) => name);
  const tools = Object.entries(recordOrEmpty(usage['server_tool_use']))
    .filter(([, requests]) => typeof requests === 'number' && requests > 0)
    .map(() => 'server_tool_use');
  return [...fields, ...tools];
}

/** Merges earlier usage with a later report of the Messages API. Output counts never decrease. */
export function updated(known: ReportedUsage, reported: ReportedUsage): ReportedUsage {
  return joinedReport(known, reported, mergedPrompt(known, reported));
}

/** Merges earlier usage with a later report of another API, which contains the whole prompt as known so far. */
export function replaced(known: ReportedUsage, reported: ReportedUsage): ReportedUsage {
  return joinedReport(known, reported, reported.inputTokens === undefined ? known : reported);
}

type Prompt = { [Part in 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens']?: number | undefined };

const growing = [...completionUnits, ...pieces];

function joinedReport(known: ReportedUsage, reported: ReportedUsage, prompt: Prompt): ReportedUsage {
  const joined: { [Field in ReportedField]?: number | undefined } = {
    ...known,
    ...reported,
    inputTokens: prompt.inputTokens,
    cacheReadTokens: prompt.cacheReadTokens,
    cacheWriteTokens: prompt.cacheWriteTokens,
  };
  for (const { usage: field } of growing) joined[field] = larger(known[field], reported[field]);
  return withoutUndefined(joined);
}

/**
 * Lowest ratio of an estimated prompt to the real prompt. DashScope's first report is an estimate, which may be smaller
 * than the cached tokens that it includes (https://github.com/jeremychone/rust-genai/pull/258).
 */
const LEAST_ESTIMATE = 0.9;

/**
 * Merges the prompt counts of two reports. A missing field keeps its value, but newly reported cached tokens are
 * subtracted from an input that can include them. A zero count of cached tokens replaces a number only if the larger
 * input shows that nothing was cached. Some imitations of the Messages API (Kimi, DashScope) first report input tokens
 * that include cached tokens, and separate the cached tokens only at the end.
 */
function mergedPrompt(known: Prompt, later: Prompt): Prompt {
  const caches = {
    cacheReadTokens: later.cacheReadTokens || (known.cacheReadTokens ?? later.cacheReadTokens),
    cacheWriteTokens: later.cacheWriteTokens || (known.cacheWriteTokens ?? later.cacheWriteTokens),
  };
  const [before, after] = [cachesIn(known), cachesIn(later)];
  const { inputTokens: input = 0 } = known;
  if (before === 0 && after > 0) {
    if (later.inputTokens !== undefined) return { ...caches, inputTokens: later.inputTokens };
    const includesCaches = input >= after * LEAST_ESTIMATE;
    return { ...caches, inputTokens: includesCaches ? Math.max(0, input - after) : known.inputTokens };
  }
  if (later.inputTokens === undefined) return { ...caches, inputTokens: known.inputTokens };
  const reportsCaches = later.cacheReadTokens !== undefined || later.cacheWriteTokens !== undefined;
  // The later report has zero cached tokens and a larger input, so nothing was cached, although the earlier report
  // stated cached tokens.
  if (before > 0 && after === 0 && reportsCaches && later.inputTokens > input) return later;
  // The later report has the same prompt as one number, so the earlier report with separate cached tokens is kept.
  if (before > 0 && !reportsCaches && later.inputTokens === input + before) return known;
  return { ...caches, inputTokens: later.inputTokens || known.inputTokens };
}

function cachesIn({ cacheReadTokens = 0, cacheWriteTokens = 0 }: Prompt): number {
  return cacheReadTokens + cacheWriteTokens;
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function addCount(a: ReportedUsage, b: ReportedUsage): ReportedUsage {
  const sum: ReportedUsage = { ...a };
  for (const [name, value] of Object.entries(b) as [keyof ReportedUsage, number][])
    sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

function readCounts(usage: Record<string, unknown>): ReportedUsage {
  const counts: ReportedUsage = {};
  const read = (field: ReportedField, value: unknown) => {
    const count = countOrAbsent(value);
    if (count !== undefined) counts[field] = count;
  };
  for (const { usage: field, reported } of countedUnits) {
    if (!reported) continue;
    const [name, within] = reported;
    read(field, within === undefined ? usage[name] : recordOrEmpty(usage[name])[within]);
  }
  read('cacheWriteTokens', usage['cache_creation_input_tokens']);
  return counts;
}
