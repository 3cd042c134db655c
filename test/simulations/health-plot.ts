import { simulate, type Sent } from './health-simulation.ts';
import { failsAll, failsHalf, RUN_MS, TROUBLE_BEGINS_MS, TROUBLE_ENDS_MS } from './troubles.ts';

interface Line {
  name: string;
  colour: string;
  /** Percentage of the requests, by slot of time. */
  values: number[];
}

const SLOT_MS = 2_000;
const SEEDS = 200;
const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { top: 46, right: 16, bottom: 40, left: 48 };

/** Returns the plot of docs/routing.md: the share of requests that first go to an endpoint in trouble. */
export async function healthPlot(): Promise<string> {
  const lines = [
    { name: 'half of its requests fail', colour: '#1f6feb', values: await sharesOver(failsHalf) },
    { name: 'all of them fail', colour: '#d1242f', values: await sharesOver(failsAll) },
  ];
  return drawn(lines);
}

async function sharesOver(trouble: typeof failsHalf): Promise<number[]> {
  const runs: Sent[][] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    runs.push(await simulate({ seed, instances: 2, requestsPerSecond: 1, durationMs: RUN_MS, fails: trouble() }));
  }
  const slots = Map.groupBy(runs.flat(), ({ atMs }) => Math.floor(atMs / SLOT_MS));
  return Array.from({ length: RUN_MS / SLOT_MS }, (_, slot) => {
    const sent = slots.get(slot) ?? [];
    return (100 * sent.filter(({ isTroubledFirst }) => isTroubledFirst).length) / sent.length;
  });
}

const x = (atMs: number) => MARGIN.left + (atMs / RUN_MS) * (WIDTH - MARGIN.left - MARGIN.right);
const y = (percent: number) => HEIGHT - MARGIN.bottom - (percent / 100) * (HEIGHT - MARGIN.top - MARGIN.bottom);
const at = (position: number) => position.toFixed(1);

function drawn(lines: Line[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<rect x="${at(x(TROUBLE_BEGINS_MS))}" y="${at(y(100))}" width="${at(x(TROUBLE_ENDS_MS) - x(TROUBLE_BEGINS_MS))}" height="${at(y(0) - y(100))}" fill="#fff1e5"/>
<text x="${at(x(TROUBLE_BEGINS_MS) + 6)}" y="${at(y(100) + 16)}" fill="#9a6700">the endpoint is in trouble</text>
${[0, 25, 50, 75, 100].map(percentLine).join('\n')}
${[0, 60, 120, 180, 240].map(secondMark).join('\n')}
${lines.map(lineOf).join('\n')}
${lines.map(legendOf).join('\n')}
<text x="${at(x(RUN_MS))}" y="${HEIGHT - 6}" text-anchor="end" fill="#57606a">seconds; ${SEEDS} runs, one request a second over two instances</text>
</svg>
`;
}

function percentLine(percent: number): string {
  const height = at(y(percent));
  return `<path d="M${at(x(0))} ${height}H${at(x(RUN_MS))}" stroke="#d0d7de"/><text x="${MARGIN.left - 6}" y="${at(y(percent) + 4)}" text-anchor="end" fill="#57606a">${percent} %</text>`;
}

function secondMark(second: number): string {
  return `<text x="${at(x(second * 1_000))}" y="${at(y(0) + 16)}" text-anchor="middle" fill="#57606a">${second}</text>`;
}

function lineOf({ colour, values }: Line): string {
  const points = values.map((percent, slot) => `${at(x((slot + 0.5) * SLOT_MS))},${at(y(percent))}`);
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
}

function legendOf({ name, colour }: Line, index: number): string {
  const left = MARGIN.left + index * 220;
  return `<path d="M${left} 16h20" stroke="${colour}" stroke-width="3"/><text x="${left + 26}" y="20">${name}</text>`;
}
