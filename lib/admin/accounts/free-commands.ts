import type { Command } from 'commander';
import { Money } from '../../../lambdas/money/money.ts';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { readBudgets } from '../../../lambdas/store/counters/service-budgets.ts';
import { parseDate } from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { onTable, type TableSession } from '../session/session.ts';

export function addFreeCommand(program: Command): void {
  program
    .command('free-models')
    .description('list the service’s spending on each free model in a UTC day')
    .option('--date <UTC day>', 'one of the last days; default: today', parseDate)
    .action(onTable(freeModelRows));
}

async function freeModelRows({ table }: TableSession, { date = utcDate(nowMs()) }: { date?: string }): Promise<Row[]> {
  const byModel = Map.groupBy(await readBudgets(table, date), ({ model }) => model);
  return [...byModel].toSorted().map(([model, parts]) => {
    const spent = Money.sum(parts.map((part) => part.spent));
    const committed = Money.sum(parts.map((part) => part.committed));
    return { date, model, spent_rub: spent.toString(), held_rub: committed.minus(spent).toString() };
  });
}
