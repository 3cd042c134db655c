import type { WireUsage } from '../messages/types.ts';

/**
 * Usage as a provider told it, after looking at every number: a count is a whole number from 0 on, and anything else
 * (a text, a fraction, a negative or endless number) was not told. Unknown is not zero.
 */
export interface ToldUsage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  /** All cache writes, and those of one hour among them. */
  cacheWriteTokens?: number;
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  reasoningTokens?: number;
  searchRequests?: number;
}

/** Reads whatever stands in the place of a usage; never throws. */
export function readToldUsage(usage: unknown): ToldUsage {
  if (!isRecord(usage)) return {};
  // When the upstream compacted the conversation on the way, only the sum of its iterations is the whole usage.
  const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isRecord) : [];
  if (iterations.length < 2) return readCounts(usage);
  const summed = iterations.map((iteration) => readCounts(iteration as WireUsage)).reduce(add, {});
  return { ...readCounts(usage), ...summed };
}

/** Values of fields that leave the price what the catalog says; any other one means that the provider charges otherwise. */
const pricedValues: Record<string, unknown[]> = {
  service_tier: ['standard'],
  speed: ['standard'],
  inference_geo: ['global', 'not_available', ''],
};

/** Signs in a usage that the provider charges for something the catalog has no price for, e.g. "speed: fast". */
export function unpricedSigns(usage: unknown): string[] {
  if (!isRecord(usage)) return [];
  const fields = Object.entries(pricedValues)
    .filter(([name, values]) => typeof usage[name] === 'string' && !values.includes(usage[name]))
    .map(([name]) => `${name}: ${String(usage[name]).slice(0, 40)}`);
  const tools = Object.entries(record(usage['server_tool_use']))
    .filter(([, requests]) => typeof requests === 'number' && requests > 0)
    .map(([name]) => `server_tool_use: ${name.slice(0, 40)}`);
  return [...fields, ...tools];
}

/** Later numbers of one answer never lower earlier ones: usage is cumulative. */
export function largerOf(a: ToldUsage, b: ToldUsage): ToldUsage {
  return combine(a, b, Math.max);
}

function add(a: ToldUsage, b: ToldUsage): ToldUsage {
  return combine(a, b, (x, y) => x + y);
}

function combine(a: ToldUsage, b: ToldUsage, by: (x: number, y: number) => number): ToldUsage {
  const combined: ToldUsage = { ...a };
  for (const [name, value] of Object.entries(b) as [keyof ToldUsage, number][]) {
    const known = combined[name];
    combined[name] = known === undefined ? value : by(known, value);
  }
  return combined;
}

function readCounts(usage: Record<string, unknown>): ToldUsage {
  const split = record(usage['cache_creation']);
  return withoutUndefined({
    inputTokens: count(usage['input_tokens']),
    outputTokens: count(usage['output_tokens']),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteTokens: count(usage['cache_creation_input_tokens']),
    cacheWrite5mTokens: count(split['ephemeral_5m_input_tokens']),
    cacheWrite1hTokens: count(split['ephemeral_1h_input_tokens']),
    reasoningTokens: count(record(usage['output_tokens_details'])['thinking_tokens']),
    searchRequests: count(record(usage['server_tool_use'])['web_search_requests']),
  });
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined(counts: { [Name in keyof ToldUsage]: number | undefined }): ToldUsage {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined));
}
