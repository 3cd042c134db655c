import type { DailySums } from '../../../lambdas/accounting/daily-sums.ts';
import type { Names } from '../../../lambdas/books/names.ts';
import type { SpendingRow } from '../../../lambdas/books/spending.ts';
import { isProven, type Statement } from '../../../lambdas/books/statement.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { CsvCell } from '../../../lambdas/books/csv.ts';
import { dimensionColumns, namedCells, shortSumColumns, sumCells } from './spending-table.ts';

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent); --bar: #3b6fb5; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.total td { font-weight: 600; border-top: 2px solid currentColor; }
svg { width: 100%; height: auto; } svg rect { fill: var(--bar); } svg text { font-size: 10px; fill: currentColor; }
.agrees::before { content: "✓ "; } .differs { font-weight: 600; } .differs::before { content: "✗ "; }
@media print { body { margin: 0; max-width: none; } }
`;

/**
 * Returns the statement as an HTML page that loads nothing else.
 * @param days spending of each day, for the chart
 */
export async function statementPage(statement: Statement, names: Names, days: readonly SpendingRow[]): Promise<string> {
  const { account, period } = statement;
  const title = `Statement of ${account.name}, ${period.from} to ${period.to}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>Account ${escaped(account.id)} (${account.mode}). Time zone ${escaped(period.zone)}: from ${new Date(period.startMs).toISOString()}
up to, but not including, ${new Date(period.endMs).toISOString()}. All amounts are in roubles, unrounded.</p>
${onlyText(statement)}<p>Spent: <strong>${statement.total.usage} RUB</strong> in ${statement.total.requests} requests.</p>
${chart(statement, days)}
<h2>Spending</h2>
${await spendingTable(statement, names)}
${paymentsTable(statement)}
<h2>Proof</h2>
<p>${isProven(statement) ? 'All comparisons agree.' : 'Some comparisons DO NOT AGREE.'} The statement is based on ${statement.records} records${pendingText(statement)}.</p>
<ul>
${statement.proofs.map(({ source, agrees, says }) => `<li class="${agrees === undefined ? '' : agrees ? 'agrees' : 'differs'}">${escaped(source.replace('_', ' '))}: ${escaped(says)}</li>`).join('\n')}
</ul>
</body>
</html>
`;
}

/** Returns the filters as a paragraph: a reader must not mistake the filtered total for the total of the account. */
function onlyText({ only }: Statement): string {
  return only.length === 0
    ? ''
    : `<p>Only for <strong>${escaped(only.join(' and '))}</strong>, not of the whole account.</p>\n`;
}

function pendingText({ pending }: Statement): string {
  return pending.generations === 0
    ? ''
    : `; ${pending.generations} of them are not settled yet, and not included in the sums`;
}

async function spendingTable({ by, rows, total }: Statement, names: Names): Promise<string> {
  const columns = by.flatMap((dimension) => dimensionColumns(dimension));
  const lines: string[] = [];
  for (const row of rows) lines.push(tableRow(await namedCells(row, by, names), row));
  const head = [
    ...columns.map((name) => `<th>${name}</th>`),
    ...shortSumColumns.map((name) => `<th class="number">${name}</th>`),
  ];
  return `<div class="scroll"><table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
${tableRow(
  columns.map((_, index) => (index === 0 ? 'Total' : '')),
  total,
  'total',
)}
</tbody>
</table></div>`;
}

function tableRow(cells: readonly CsvCell[], sums: DailySums, name = ''): string {
  const named = cells.map(namedCell);
  const numbers = sumCells(sums).map((cell) => `<td class="number">${String(cell)}</td>`);
  return `<tr class="${name}">${[...named, ...numbers].join('')}</tr>`;
}

function paymentsTable({ payments, balance }: Statement): string {
  if (payments.length === 0 && !balance) return '';
  const rows = payments.map(
    ({ createdAt, amount: paid, id, kind, note }) =>
      `<tr><td>${createdAt}</td><td>${kind.replace('_', '-')}</td><td>${escaped(id)}</td><td>${escaped(note ?? '')}</td>${amountCell(paid)}</tr>`,
  );
  const closing = balance
    ? [
        balanceRow('opening balance', balance.opening),
        ...rows,
        balanceRow('spent', balance.spent.negated()),
        balanceRow('closing balance', balance.closing),
      ]
    : rows;
  return `<h2>Payments</h2>
<div class="scroll"><table>
<thead><tr><th>at</th><th>kind</th><th>reference</th><th>note</th><th class="number">amount_rub</th></tr></thead>
<tbody>
${closing.join('\n')}
</tbody>
</table></div>`;
}

function balanceRow(name: string, value: Money): string {
  return `<tr><td></td><td>${name}</td><td></td><td></td>${amountCell(value)}</tr>`;
}

function amountCell(value: Money): string {
  return `<td class="number">${value}</td>`;
}

const CHART = { width: 960, height: 160, labels: 18 };

function namedCell(cell: CsvCell): string {
  const whole = escaped(String(cell ?? ''));
  return /^[0-9a-f]{64}$/.test(whole) ? `<td title="${whole}">${whole.slice(0, 12)}…</td>` : `<td>${whole}</td>`;
}

/**
 * Returns a chart with one bar per day; empty without spending. The heights are approximate; the exact amounts are in
 * the bars' titles.
 */
function chart({ period, total }: Statement, days: readonly SpendingRow[]): string {
  const usage = new Map(days.map(({ values, usage: spent }) => [values[0], spent]));
  const most = Money.max(Money.zero, ...usage.values());
  if (most.isZero) return '';
  const step = CHART.width / period.days.length;
  const everyNth = Math.ceil(period.days.length / 16);
  const bars = period.days.map(({ date }, index) => {
    const spent = usage.get(date) ?? Money.zero;
    const height = Number((spent.pico * 1_000n) / most.pico) / 1_000;
    const barHeight = height * (CHART.height - CHART.labels);
    const x = (index * step).toFixed(1);
    const label =
      index % everyNth === 0 ? `<text x="${x}" y="${CHART.height - 4}">${date.slice('YYYY-'.length)}</text>` : '';
    return `<rect x="${x}" y="${(CHART.height - CHART.labels - barHeight).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}" height="${barHeight.toFixed(1)}"><title>${date}: ${spent} RUB</title></rect>${label}`;
  });
  return `<svg viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="Spending by day, ${total.usage} RUB in total">
${bars.join('\n')}
</svg>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
