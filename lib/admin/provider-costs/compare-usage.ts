import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { fillPlaceholders } from '../../../lambdas/catalog/placeholders.ts';
import { optionalVariable } from '../../../lambdas/platform/environment.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import type { Outcome, RoundUsage } from '../../../lambdas/store/generations/outcome.ts';
import { reportedMeters, type ReportedDay, type ReportedMeter } from './provider-usage.ts';

/** A count that the provider and the records say, of one meter. */
export interface UsageDifference {
  date: string;
  model: string;
  meter: ReportedMeter;
  provider: number;
  records: number;
}

/** A day of a snapshot in the name of a model, as providers add it to the name that was asked for. */
const SNAPSHOT = /^-?(\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Counts what was asked of one provider, by UTC day and by its name for the model. */
export class RecordedUsage {
  readonly #upstreamModels: Map<string, string>;
  readonly #providerName: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #days = new Map<string, Record<ReportedMeter, number>>();

  /**
   * @param providerId one of the catalog
   * @param names what models are counted as, by the names that they are asked by or reported under
   * @throws {TypeError} for a provider that the catalog does not have
   */
  constructor({ models, providers }: CatalogFiles, providerId: string, names: ReadonlyMap<string, string> = new Map()) {
    const provider = providers.find(({ id }) => id === providerId);
    if (!provider) throw new TypeError(`The catalog has no provider "${providerId}"`);
    const endpoints = models.flatMap((model) => model.endpoints).filter((one) => one.provider === providerId);
    this.#upstreamModels = new Map(
      endpoints.map(({ id, upstream_model: name }) => [id, fillPlaceholders(name, optionalVariable).text]),
    );
    this.#providerName = provider.name;
    this.#names = names;
  }

  add({ outcome, state }: Generation, date: string): void {
    if (state !== 'final' || !outcome || outcome.providerName !== this.#providerName) return;
    // An endpoint that has left the catalog is named by itself.
    const model = this.#upstreamModels.get(outcome.endpointId) ?? outcome.endpointId;
    const name = `${date}\n${this.#names.get(model) ?? model}`;
    const day = this.#days.get(name) ?? noUsage();
    for (const round of roundsOf(outcome)) addRound(day, round);
    this.#days.set(name, day);
  }

  /**
   * Compares what the provider says with what the records say, for each day, model and meter that the report has; days and models that only the records
   * have are in it as well, with zeros.
   */
  compared(reported: readonly ReportedDay[]): UsageDifference[] {
    const models = new Set([...this.#days.keys()].map((name) => name.split('\n')[1]!));
    const dates = new Set(reported.map(({ date }) => date));
    const meters = reportedMeters.filter((meter) => reported.some(({ usage }) => usage[meter] !== undefined));
    const told = new Map<string, ReportedDay['usage']>();
    for (const { date, model, usage } of reported) {
      const name = `${date}\n${this.#names.get(model) ?? askedName(model, models)}`;
      told.set(name, merged(told.get(name) ?? {}, usage));
    }
    const names = new Set([
      ...told.keys(),
      ...[...this.#days.keys()].filter((name) => dates.has(name.split('\n')[0]!)),
    ]);
    return [...names].toSorted().flatMap((name) => {
      const [date, model] = name.split('\n') as [string, string];
      const recorded = asReported(this.#days.get(name) ?? noUsage(), meters);
      return meters.map((meter): UsageDifference => {
        return { date, model, meter, provider: told.get(name)?.[meter] ?? 0, records: recorded[meter] };
      });
    });
  }
}

/** The name that was asked for, of a name that may have the day of its snapshot. */
function askedName(model: string, asked: ReadonlySet<string>): string {
  if (asked.has(model)) return model;
  return [...asked].find((name) => model.startsWith(name) && SNAPSHOT.test(model.slice(name.length))) ?? model;
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

/** A report that does not tell how long a cache lasts has all of it in one count; one that tells no writing has that in its input. */
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
