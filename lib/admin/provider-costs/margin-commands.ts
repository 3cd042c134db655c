import type { Command } from 'commander';
import type { Dimension } from '../../../lambdas/books/spending.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { recordsOfAccounts } from './all-records.ts';
import { MarginTable, type MarginSums } from './margin-table.ts';
import { byOption, periodOption, withPeriodOptions, type PeriodOptions } from '../reports/report-options.ts';
import { withTableOf } from '../session/session.ts';

interface MarginOptions extends PeriodOptions {
  by: Dimension[];
}

export function addMarginCommand(program: Command): void {
  const command = program
    .command('margin')
    .description('compare charges with the providers’ cost at purchase prices, for all accounts or --account');
  withPeriodOptions(command)
    .addOption(byOption(['model', 'provider']))
    .action((options: MarginOptions, run: Command) =>
      withTableOf(run, async (table, { account, json }) => {
        const margins = new MarginTable(options.by);
        const period = periodOption(options);
        for await (const { generation, day } of recordsOfAccounts(table, account, period)) margins.add(generation, day);
        const rows = margins.rows().map(({ values, ...sums }) => marginRow(options.by, values, sums));
        const total = marginRow(options.by, ['total'], margins.total);
        if (json) {
          const { from, to, zone } = period;
          print({ from, to, zone, rows, total: sumsOf(margins.total) }, true);
        } else process.stdout.write(`${asTable([...rows, total])}\n${explained(margins.total)}\n`);
      }),
    );
}

function marginRow(by: readonly Dimension[], values: readonly string[], sums: MarginSums): Row {
  const named = by.map((dimension, index): [string, unknown] => [dimension, values[index] || null]);
  return { ...Object.fromEntries(named), ...sumsOf(sums) };
}

function sumsOf({ requests, charged, cost, unknown, chargedUnknown }: MarginSums): Row {
  return {
    requests,
    charged_rub: charged.toString(),
    service_cost_rub: cost.toString(),
    margin_rub: charged.minus(cost).toString(),
    unknown,
    charged_unknown_rub: chargedUnknown.toString(),
  };
}

function explained({ unknown, chargedUnknown }: MarginSums): string {
  if (unknown === 0) return 'The service cost of every request is known.';
  return `The service cost of ${unknown} requests is unknown, because their endpoints have no service_cost or they were estimated. Their charges of ${chargedUnknown} RUB are not part of any margin.`;
}
