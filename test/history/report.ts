import type { Difference } from './counter-books.ts';
import type { HistoryReport } from './history.ts';

const MAX_SHOWN = 40;

export function reportText(report: HistoryReport, directory: string): string {
  const { seed, requests, changes, blows, starts, faults, logged, checks, passed } = report;
  const last = checks.at(-1)!;
  const differences = checks.flatMap(({ name, differences: found }) => found.map((one) => [name, one] as const));
  const sections = [
    section('Requests', requests),
    section('Changes', changes),
    section('Blows', blows),
    section('Faults of the table', faults),
    section('Starts', {
      tried: starts.tried,
      failed: starts.failed,
      'two at once': starts.twice,
      'clock steps': starts.clockSteps,
    }),
    section('Processes that outlived their front process', starts.outlived),
    section('Log', logged),
    section('Books at the end', {
      ...last.records,
      'leases returned': last.leases.returned,
      'leases open': last.leases.open,
      'reported costs compared': last.reported.compared,
      'swept after they were reported, charged less': last.reported.swept.lower,
      'swept after they were reported, charged more': last.reported.swept.higher,
    }),
    `Differences: ${differences.length}\n${differences.slice(0, MAX_SHOWN).map(differenceLine).join('')}`,
  ];
  const end = passed ? 'The books add up.' : `The books do NOT add up. Seed ${seed}; the data is in ${directory}.`;
  return `${sections.join('\n')}\n${end}\n`;
}

function section(title: string, counts: Record<string, number>): string {
  const rows = Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b));
  return `${title}\n${rows.map(([name, number]) => `  ${String(number).padStart(7)}  ${name}\n`).join('')}`;
}

function differenceLine([check, { kind, where, stored, expected }]: readonly [string, Difference]): string {
  return `  ${check}: ${kind}, ${where}: ${stored.slice(0, 1_000)}; should be ${expected}\n`;
}
