import { Option, type Command } from 'commander';
import { dateIn } from '../../../lambdas/books/period.ts';
import { buildCatalog, type Catalog, type Endpoint } from '../../../lambdas/catalog/catalog.ts';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { catalogDirectory } from '../../../lambdas/catalog/load.ts';
import { DAY_MS, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { optionalVariable } from '../../../lambdas/platform/environment.ts';
import { StartFailure } from '../../shared/failure.ts';
import { wholeNumberUpTo } from '../command-line/arguments.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { recordsOfAccounts } from './all-records.ts';
import { WhatIfTable } from './what-if-table.ts';
import { periodOption, withPeriodOptions, type PeriodOptions } from '../reports/report-options.ts';
import { withTableOf } from '../session/session.ts';

const MAX_WHAT_IF_DAYS = 366;

interface WhatIfOptions extends PeriodOptions {
  model: string[];
  days?: number;
  of?: string;
  catalog?: string;
}

export function addWhatIfCommand(program: Command): void {
  const command = program
    .command('what-if')
    .description(
      'compute the cost of past requests at the prices of other models, from the recorded usage, for all accounts or --account',
    )
    .requiredOption('--model <id...>', 'models to compare with; prints one row per endpoint')
    .option('--of <id>', 'only requests answered by this model')
    .option(
      '--catalog <dir>',
      'directory of the catalog with the prices; default: the catalog that comes with the code',
    )
    .addOption(
      new Option('--days <n>', `the last days including today; at most ${MAX_WHAT_IF_DAYS}`)
        .argParser(wholeNumberUpTo(MAX_WHAT_IF_DAYS))
        .conflicts(['month', 'from', 'to']),
    );
  withPeriodOptions(command).action((options: WhatIfOptions, run: Command) => {
    const catalog = catalogForPrices(options.catalog);
    const compared = new WhatIfTable(options.model.flatMap((name) => endpointsOf(catalog, name)));
    return withTableOf(run, async (table, { account, json }) => {
      const period = periodOption(withDays(options));
      for await (const { generation } of recordsOfAccounts(table, account, period)) {
        if (options.of === undefined || generation.outcome?.model === options.of) compared.add(generation);
      }
      const rows = compared.rows().map(({ endpoint, sums: { requests, charged, repriced, unanswerable } }): Row => {
        return {
          endpoint_id: endpoint.id,
          requests,
          charged_rub: charged.toString(),
          would_cost_rub: repriced.toString(),
          difference_rub: repriced.minus(charged).toString(),
          unanswerable,
        };
      });
      const { from, to, zone } = period;
      if (json) print({ from, to, zone, rows }, true);
      else process.stdout.write(`${from} to ${to}, ${zone}\n${asTable(rows)}${CAVEAT}\n`);
    });
  });
}

const CAVEAT =
  'The costs use the recorded tokens; another model would count, think, answer and cache differently. "unanswerable" counts requests of another kind, or with a prompt longer than the model’s context.';

/**
 * Builds a catalog for its prices. Unset variables are replaced by their names, because prices need no URLs.
 * @throws {CatalogError} if the catalog has a mistake
 */
function catalogForPrices(directory = catalogDirectory()): Catalog {
  return buildCatalog(readCatalogFiles(directory), (variable) => optionalVariable(variable) ?? variable);
}

/**
 * Returns the endpoints of a model that have prices.
 * @throws {StartFailure} if the model is unknown or has no prices
 */
function endpointsOf(catalog: Catalog, name: string) {
  const model = catalog.meant(name);
  if (!model) throw new StartFailure(`The catalog has no model "${name}". GET /v1/models lists its models.`);
  const { endpoints } = model.aliasOf ?? model;
  const priced = endpoints.filter((endpoint): endpoint is Endpoint & { pricing: NonNullable<Endpoint['pricing']> } => {
    return endpoint.pricing !== undefined;
  });
  if (priced.length === 0)
    throw new StartFailure(`"${name}" has no prices, because it is listed but not offered. Choose another model.`);
  return priced;
}

function withDays({ days, ...period }: WhatIfOptions): PeriodOptions {
  if (days === undefined) return period;
  return { ...period, from: utcDate(Date.parse(dateIn(period.zone, nowMs())) - (days - 1) * DAY_MS) };
}
