import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { fillPlaceholders } from '../../../lambdas/catalog/placeholders.ts';
import { optionalVariable } from '../../../lambdas/platform/environment.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import type { Outcome, RoundUsage } from '../../../lambdas/store/generations/outcome.ts';
import { reportedMeters, type ReportedDay, type ReportedMeter } from './provider-usage.ts';

/** Counts of a meter (kind of unit) in the provider's report and in the records. */
export interface UsageDifference {
  date: string;
  model: string;
  meter: ReportedMeter;
  provider: number;
  records: number;
}

/** Matches the snapshot date that some providers append to the model name. */
const SNAPSHOT = /^-?(\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Recorded usage at one provider, by UTC day and the provider's name for the model. */
export class RecordedUsage {
  readonly #upstreamModels: Map<string, string>;
  readonly #providerName: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #days = new Map<string, Record<ReportedMeter, number>>();

  /**
   * @param providerId id in the catalog
   * @param names maps requested and reported model names to a common name
   * @throws {TypeError} if the provider is not in the catalog
   */
  constructor({ models, providers }: CatalogFiles, providerId: string, names: ReadonlyMap<string, string> = new Map()) {
    const provider = providers.find(({ id }) => id === providerId);
    if (!provider) throw new TypeError(`The catalog has no provider "${providerId}". List providers with "providers".`);
    const endpoints = models.flatMap((model) => model.endpoints).filter((one) => one.provider === providerId);
    this.#upstreamModels = new Map(
      endpoints.map(({ id, upstream_model: name }) => [id, fillPlaceholders(name, optionalVariable).text]),
    );
    this.#providerName = provider.name;
    this.#names = names;
  }

  add({ outcome, state }: Generation, date: string): void {
    if (state !== 'final' || !outcome || outcome.providerName !== this.#providerName) return;
    // An endpoint that was removed from the catalog is counted under its id.
    const model = this.#upstreamModels.get(outcome.endpointId) ?? outcome.endpointId;
    const name = `${date}\n${this.#names.get(model) ?? model}`;
    const day = this.#days.get(name) ?? noUsage();
    for (const round of roundsOf(outcome)) addRound(day, round);
    this.#days.set(name, day);
  }

  /**
   * Compares the report with the records, for the report's days and meters. A model that only the records contain on
   * such a day is included, with zeros for the provider.
   */
  compared(reported: readonly ReportedDay[]): UsageDifference[] {
    const models = new Set([...this.#days.keys()].map((name) => name.split('\n')[1]!));
    const dates = new Set(reported.map(({ date }) => date));
    const meters = reportedMeters.filter((meter) => reported.some(({ usage }) => usage[meter] !== undefined));
    const reportedUsage = new Map<string, ReportedDay['usage']>();
    for (const { date, model, usage } of reported) {
      const name = `${date}\n${this.#names.get(model) ?? requestedName(model, models)}`;
      reportedUsage.set(name, merged(reportedUsage.get(name) ?? {}, usage));
    }
    const names = new Set([
      ...reportedUsage.keys(),
      ...[...this.#days.keys()].filter((name) => dates.has(name.split('\n')[0]!)),
    ]);
    return [...names].toSorted().flatMap((name) => {
      const [date, model] = name.split('\n') as [string, string];
      const recorded = asReported(this.#days.get(name) ?? noUsage(), meters);
      return meters.map((meter): UsageDifference => {
        return { date, model, meter, provider: reportedUsage.get(name)?.[meter] ?? 0, records: recorded[meter] };
      });
    });
  }
}

/** Returns the requested name of a reported model. A model name in a report may end with a snapshot date. */
function requestedName(model: string, requested: ReadonlySet<string>): string {
  if (requested.has(model)) return model;
  return [...requested].find((name) => model.startsWith(name) && SNAPSHOT.test(model.slice(name.length))) ?? model;
}

function roundsOf(outcome: Outcome): readonly RoundUsage[] {
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  return rounds.filter(({ promptTokens, completionTokens }) => promptTokens + completionTokens > 0);
}

function noUsage(): Record<ReportedMeter, number> {
  return { requests: 0, input: 0, cache_read: 0, cache_write: 0, cache_write_1h: 0, output: 0 };
}

function addRound(day: Record<ReportedMeter, number>, round: RoundUsage): void {
  const read = round.cachedTokens ?? 0;
  const written = round.cacheWrite5mTokens ?? 0;
  const written1h = round.cacheWrite1hTokens ?? 0;
  day.requests += 1;
  day.input += round.promptTokens - read - written - written1h;
  day.cache_read += read;
  day.cache_write += written;
  day.cache_write_1h += written1h;
  day.output += round.completionTokens;
}

/**
 * Reduces the recorded counts to the detail of the report. If the report does not distinguish cache lifetimes, all
 * cache writes are one count. If the report does not count cache writes, they are added to the input.
 */
function asReported(
  usage: Record<ReportedMeter, number>,
  meters: readonly ReportedMeter[],
): Record<ReportedMeter, number> {
  const { input, cache_write: written, cache_write_1h: written1h } = usage;
  if (meters.includes('cache_write_1h')) return usage;
  if (meters.includes('cache_write')) return { ...usage, cache_write: written + written1h };
  return { ...usage, input: input + written + written1h };
}

function merged(a: ReportedDay['usage'], b: ReportedDay['usage']): ReportedDay['usage'] {
  const sums = reportedMeters.flatMap((meter) => {
    const known = [a[meter], b[meter]].filter((count) => count !== undefined);
    return known.length === 0 ? [] : [[meter, known.reduce((sum, count) => sum + count, 0)]];
  });
  return Object.fromEntries(sums) as ReportedDay['usage'];
}
