import { simulateSettlement } from './settlement-simulation.ts';

interface Line {
  name: string;
  colour: string;
  /** Settlements per second, by number of workers. */
  values: number[];
}

const WORKERS = [1, 2, 4, 8, 12];
const MOST = 5_000;
const KEYS = 50;
const SECONDS = 1;
const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { top: 46, right: 16, bottom: 44, left: 56 };

/** Returns the plot of docs/busy-accounts.md: settlements of one account per second. */
export async function settlementPlot(): Promise<string> {
  const lines = [
    { name: 'one item', colour: '#d1242f', values: await ratesOver({ isLimited: true }) },
    { name: 'parts', colour: '#1f6feb', values: await ratesOver({ isLimited: false }) },
  ];
  return drawn(lines);
}

async function ratesOver({ isLimited }: { isLimited: boolean }): Promise<number[]> {
  const rates: number[] = [];
  for (const workers of WORKERS) {
    const { perSecond } = await simulateSettlement({ seed: 1, workers, keys: KEYS, isLimited, seconds: SECONDS });
    rates.push(perSecond);
  }
  return rates;
}

const x = (workers: number) => MARGIN.left + (workers / WORKERS.at(-1)!) * (WIDTH - MARGIN.left - MARGIN.right);
const y = (rate: number) => HEIGHT - MARGIN.bottom - (rate / MOST) * (HEIGHT - MARGIN.top - MARGIN.bottom);
const at = (position: number) => position.toFixed(1);

function drawn(lines: Line[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${[0, 1_000, 2_000, 3_000, 4_000, 5_000].map(rateLine).join('\n')}
${WORKERS.map(workerMark).join('\n')}
${lines.map(lineOf).join('\n')}
${lines.map(legendOf).join('\n')}
<text x="${at(x(WORKERS.at(-1)!))}" y="${HEIGHT - 6}" text-anchor="end" fill="#57606a">batches of ten at the same time; settlements of one account with ${KEYS} keys in a second</text>
</svg>
`;
}

function rateLine(rate: number): string {
  const height = at(y(rate));
  return `<path d="M${at(x(0))} ${height}H${at(x(WORKERS.at(-1)!))}" stroke="#d0d7de"/><text x="${MARGIN.left - 6}" y="${at(y(rate) + 4)}" text-anchor="end" fill="#57606a">${rate}</text>`;
}

function workerMark(workers: number): string {
  return `<text x="${at(x(workers))}" y="${at(y(0) + 16)}" text-anchor="middle" fill="#57606a">${workers}</text>`;
}

function lineOf({ colour, values }: Line): string {
  const points = values.map((rate, index) => `${at(x(WORKERS[index]!))},${at(y(rate))}`);
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
}

function legendOf({ name, colour }: Line, index: number): string {
  const left = MARGIN.left + index * 240;
  return `<path d="M${left} 16h20" stroke="${colour}" stroke-width="3"/><text x="${left + 26}" y="20">${name}</text>`;
}
