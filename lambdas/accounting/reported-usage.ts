/**
 * Usage as a provider reported it, after a check of every number. A count is a whole number from 0 on. Any other value
 * (a text, a fraction, a negative or infinite number) counts as not reported. Unknown is not zero.
 */

import { completionUnits, countedUnits, pieces, type UsageField } from '../catalog/unit-lists.ts';
import { countOrAbsent } from '../messages/usage-counts.ts';
import { isRecord, recordOrEmpty } from '../platform/json/foreign-json.ts';
import { withoutUndefined } from '../platform/json/records.ts';

type ReportedField = UsageField | 'cacheWriteTokens';

/** `cacheWriteTokens` counts all cache writes, including those of five minutes and of one hour. */
export type ReportedUsage = { [Field in ReportedField]?: number };

/** Reads any value as a usage; never throws. */
export function readReportedUsage(usage: unknown): ReportedUsage {
  if (!isRecord(usage)) return {};
  // If the upstream compacted the conversation, only the sum of its iterations is the whole usage.
  const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isRecord) : [];
  if (iterations.length < 2) return readCounts(usage);
  const summed = iterations.map((iteration) => readCounts(iteration)).reduce(addCount, {});
  return { ...readCounts(usage), ...summed };
}

/** Field values for which the catalog's price is right. With any other value the provider charges another price. */
const pricedValues: Record<string, unknown[]> = {
  service_tier: ['standard'],
  speed: ['standard'],
  inference_geo: ['global', 'not_available', ''],
};

/** Usage fields which show that the provider charges for something without a price in the catalog. */
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

/**
 * Merges earlier usage with a later report. Output is cumulative and never decreases; for the prompt, the last report
 * counts.
 */
export function updated(known: ReportedUsage, reported: ReportedUsage): ReportedUsage {
  return joinedReport(known, reported, largerPrompt(known, reported));
}

/** The same if every report has the whole prompt as far as it is known (translated wires). */
export function replaced(known: ReportedUsage, reported: ReportedUsage): ReportedUsage {
  return joinedReport(known, reported, reported.inputTokens === undefined ? known : reported);
}

type Prompt = { [Part in 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens']?: number | undefined };

/** Units whose counts only grow during an answer. */
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
 * The prompt after a later report. Missing fields stay as they were, and a zero after a number is ignored. Imitations
 * of the Messages API have reported, in their first event, an input that included its caches, and the caches at the end
 * (Kimi, DashScope).
 */
function largerPrompt(known: Prompt, later: Prompt): Prompt {
  const caches = {
    cacheReadTokens: later.cacheReadTokens || (known.cacheReadTokens ?? later.cacheReadTokens),
    cacheWriteTokens: later.cacheWriteTokens || (known.cacheWriteTokens ?? later.cacheWriteTokens),
  };
  const [before, after] = [cachesIn(known), cachesIn(later)];
  const { inputTokens: input = 0 } = known;
  if (before === 0 && after > 0) {
    if (later.inputTokens !== undefined) return { ...caches, inputTokens: later.inputTokens };
    return { ...caches, inputTokens: input >= after ? input - after : known.inputTokens };
  }
  if (later.inputTokens === undefined) return { ...caches, inputTokens: known.inputTokens };
  const reportsCaches = later.cacheReadTokens !== undefined || later.cacheWriteTokens !== undefined;
  // The caches are reported as 0 now, and the input grew: nothing was cached after all.
  if (before > 0 && after === 0 && reportsCaches && later.inputTokens > input) return later;
  // The same prompt is reported again, without its division into cached and other tokens.
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
