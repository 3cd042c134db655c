import { parse } from 'csv-parse/sync';
import * as z from 'zod';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { StartFailure } from '../../shared/failure.ts';

/** `input` excludes tokens read from a cache and, if the report counts them separately, tokens written to a cache. */
export const reportedMeters = ['requests', 'input', 'cache_read', 'cache_write', 'cache_write_1h', 'output'] as const;
export type ReportedMeter = (typeof reportedMeters)[number];

/** Usage of one model on one UTC day. Counts that the report lacks are absent. */
export interface ReportedDay {
  date: string;
  /** The provider's name for the model. */
  model: string;
  usage: Partial<Record<ReportedMeter, number>>;
}

/** Formats of reports that are read into memory completely. */
export const usageFormats = ['anthropic', 'openai', 'csv'] as const;
export type UsageFormat = (typeof usageFormats)[number];

const tokens = z.int().nonnegative();

/** A page or a list of pages, the last of which must be the end of the report. */
function usagePagesSchema<Bucket extends z.ZodType>(bucket: Bucket) {
  const page = z.object({ data: z.array(bucket), has_more: z.boolean().optional() });
  return z
    .union([page.transform((one) => [one]), z.array(page).min(1)], {
      error: 'must be a page of the usage API, or a list of pages',
    })
    .refine(
      (pages) => pages.at(-1)!.has_more !== true,
      'is incomplete: has_more is true on the last page. Add the remaining pages',
    )
    .transform((pages) => pages.flatMap(({ data }) => data));
}

const model = z.string({ error: 'must be the name of a model: call the API with group_by model' });

/**
 * Report of Anthropic: GET /v1/organizations/usage_report/messages, grouped by model (platform.claude.com, Admin API).
 */
const anthropicReport = usagePagesSchema(
  z.object({
    starting_at: z.iso.datetime(),
    results: z.array(
      z.object({
        model,
        uncached_input_tokens: tokens,
        cache_read_input_tokens: tokens,
        cache_creation: z.object({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens }),
        output_tokens: tokens,
      }),
    ),
  }),
);

/** Report of OpenAI: GET /v1/organization/usage/completions, grouped by model (platform.openai.com, Administration). */
const openaiReport = usagePagesSchema(
  z.object({
    start_time: z.int().nonnegative(),
    results: z.array(
      z.object({
        model,
        /** The count includes cached tokens. */
        input_tokens: tokens,
        input_cached_tokens: tokens.default(0),
        output_tokens: tokens,
        num_model_requests: tokens,
      }),
    ),
  }),
);

const csvRow = z.strictObject({
  date: z.iso.date(),
  model: z.string().min(1),
  ...Object.fromEntries(reportedMeters.map((meter) => [meter, z.coerce.number().int().nonnegative().optional()])),
}) as unknown as z.ZodType<{ date: string; model: string } & Partial<Record<ReportedMeter, number>>>;

const readers: Record<UsageFormat, (text: string) => ReportedDay[]> = {
  anthropic: (text) =>
    checked(anthropicReport, JSON.parse(text)).flatMap(({ starting_at: at, results }) =>
      results.map((result) => ({
        date: at.slice(0, 'YYYY-MM-DD'.length),
        model: result.model,
        usage: {
          input: result.uncached_input_tokens,
          cache_read: result.cache_read_input_tokens,
          cache_write: result.cache_creation.ephemeral_5m_input_tokens,
          cache_write_1h: result.cache_creation.ephemeral_1h_input_tokens,
          output: result.output_tokens,
        },
      })),
    ),
  openai: (text) =>
    checked(openaiReport, JSON.parse(text)).flatMap(({ start_time: at, results }) =>
      results.map((result) => ({
        date: utcDate(at * 1_000),
        model: result.model,
        usage: {
          requests: result.num_model_requests,
          input: result.input_tokens - result.input_cached_tokens,
          cache_read: result.input_cached_tokens,
          output: result.output_tokens,
        },
      })),
    ),
  csv: (text) =>
    checked(z.array(csvRow), parse(text, { columns: true, skip_empty_lines: true, trim: true, bom: true })).map(
      ({ date, model: name, ...usage }) => ({ date, model: name, usage }),
    ),
};

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [issue] = error.issues;
  throw new StartFailure(`The report is invalid: ${[...issue!.path, issueText(issue!)].join(': ')}`);
}

/**
 * Reads a report, and adds up its usage by day and model.
 * @throws {StartFailure} if the report is invalid
 */
export function readProviderUsage(text: string, format: UsageFormat): ReportedDay[] {
  let days: ReportedDay[];
  try {
    days = readers[format](text);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`The report is not ${format === 'csv' ? 'CSV' : 'JSON'}: ${(error as Error).message}`);
  }
  const sums = new ReportedSums();
  for (const day of days) sums.add(day);
  return sums.all();
}

export class ReportedSums {
  readonly #days = new Map<string, ReportedDay>();

  add({ date, model: name, usage }: ReportedDay): void {
    const known = this.#days.get(`${date}\n${name}`) ?? { date, model: name, usage: {} };
    for (const [meter, count] of Object.entries(usage) as [ReportedMeter, number | undefined][]) {
      if (count !== undefined) known.usage[meter] = (known.usage[meter] ?? 0) + count;
    }
    this.#days.set(`${date}\n${name}`, known);
  }

  all(): ReportedDay[] {
    return [...this.#days.values()];
  }
}
