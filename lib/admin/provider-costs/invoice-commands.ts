import { readFileSync } from 'node:fs';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { periodOf } from '../../../lambdas/books/period.ts';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { catalogDirectory } from '../../../lambdas/catalog/load.ts';
import { StartFailure } from '../../shared/failure.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { recordsOfAccounts } from './all-records.ts';
import { readCostAndUsageReport } from './cost-and-usage-report.ts';
import { RecordedUsage, type UsageDifference } from './compare-usage.ts';
import { readProviderUsage, usageFormats, type UsageFormat } from './provider-usage.ts';
import { endWithVerdict } from '../command-line/reported-difference.ts';
import { withTableOf } from '../session/session.ts';

interface InvoiceOptions {
  provider: string;
  format: UsageFormat | typeof COST_AND_USAGE;
  as: ReadonlyMap<string, string>;
  catalog?: string;
  all: boolean;
}

/** Format of AWS's Cost and Usage Report. */
const COST_AND_USAGE = 'cur';

export function addInvoiceCommand(program: Command): void {
  program
    .command('invoice')
    .description("compare a provider's usage report with the records of all accounts; exit code 1 if they differ")
    .addArgument(
      new Argument('<file>', 'usage report by UTC day: JSON of the provider’s usage API, or CSV; see docs/billing.md'),
    )
    .requiredOption('--provider <id>', 'id of the provider in the catalog')
    .addOption(
      new Option('--format <format>', 'format of the file')
        .choices([...usageFormats, COST_AND_USAGE])
        .makeOptionMandatory(),
    )
    .option('--catalog <dir>', 'directory of a catalog; default: the catalog that comes with the code')
    .option(
      '--as <name=other>',
      'count a model under another name of the report or the catalog; may be repeated',
      parseName,
      new Map<string, string>(),
    )
    .option('--all', 'also print counts that agree', false)
    .action(async (file: string, options: InvoiceOptions, command: Command) => {
      const reported =
        options.format === COST_AND_USAGE
          ? await readCostAndUsageReport(file)
          : readProviderUsage(readReport(file), options.format);
      if (reported.length === 0) throw new StartFailure(`${file} contains no days.`);
      const recorded = recordedUsageOf(options);
      return withTableOf(command, async (table, { account, json }) => {
        const dates = reported.map(({ date }) => date).toSorted();
        const period = periodOf({ from: dates[0]!, to: dates.at(-1)! });
        for await (const { generation, day } of recordsOfAccounts(table, account, period))
          recorded.add(generation, day);
        printUsageDifferences(recorded.compared(reported), { isAll: options.all, isJson: json });
      });
    });
}

function readReport(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new StartFailure(`${file} cannot be read.`);
  }
}

function parseName(text: string, known: ReadonlyMap<string, string>): Map<string, string> {
  const [name, other] = text.split('=');
  if (!name || !other)
    throw new InvalidArgumentError('Use two names, for example Claude4.6Sonnet=anthropic.claude-sonnet-4-6.');
  return new Map(known).set(name, other);
}

function recordedUsageOf({ provider, catalog, as }: InvoiceOptions): RecordedUsage {
  try {
    return new RecordedUsage(readCatalogFiles(catalog ?? catalogDirectory()), provider, as);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new StartFailure(error.message);
  }
}

function printUsageDifferences(
  compared: readonly UsageDifference[],
  { isAll, isJson }: { isAll: boolean; isJson: boolean },
): void {
  const differing = compared.filter(({ provider, records }) => provider !== records);
  const rows = (isAll ? compared : differing).map(({ provider, records, ...of }): Row => {
    return { ...of, provider, records, difference: provider - records };
  });
  const days = new Set(compared.map(({ date }) => date)).size;
  if (isJson) print({ agrees: differing.length === 0, days, compared: compared.length, rows }, true);
  else {
    const verdict =
      differing.length === 0
        ? `The provider and the records agree: ${compared.length} counts of ${days} days.`
        : `${differing.length} of ${compared.length} counts of ${days} days DIFFER.`;
    process.stdout.write(`${rows.length === 0 ? '' : `${asTable(rows)}\n`}${verdict}\n`);
  }
  endWithVerdict(differing.length === 0);
}
