import { simulateHolds } from './hold-simulation.ts';

interface Line {
  name: string;
  colour: string;
  /** 95th percentile of the time to hold in ms, and percentage of refused requests, by rate. */
  points: { perSecond: number; p95Ms: number; refusedPercent: number }[];
}

const RATES = [10, 20, 40, 60, 120, 250, 500, 1_000, 2_000];
/** Highest rate in the plot for a counter in one item. */
const MOST_OF_ONE_ITEM = 250;
const MOST_MS = 2_000;
const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { top: 46, right: 40, bottom: 44, left: 56 };

/** Returns the plot of docs/busy-accounts.md: the time that holds of one limited key take. */
export async function holdPlot(): Promise<string> {
  const upToOneItem = RATES.filter((rate) => rate <= MOST_OF_ONE_ITEM);
  return drawn([
    { name: 'one item', colour: '#d1242f', points: await pointsOver(upToOneItem, { hasParts: false }) },
    { name: 'parts that are granted room', colour: '#1f6feb', points: await pointsOver(RATES, { hasParts: true }) },
    {
      name: 'the same, leased by servers',
      colour: '#1a7f37',
      points: await pointsOver(RATES, { hasParts: true, perServer: 100 }),
    },
  ]);
}

/**
 * Simulates holds at each rate.
 * @param how.perServer requests per second of each server; without it, no server takes leases
 */
async function pointsOver(
  rates: number[],
  { hasParts, perServer }: { hasParts: boolean; perServer?: number },
): Promise<Line['points']> {
  const points: Line['points'] = [];
  for (const perSecond of rates) {
    const servers = perServer === undefined ? {} : { servers: Math.ceil(perSecond / perServer) };
    const { p95Ms, refused } = await simulateHolds({ seed: 1, perSecond, seconds: 1, hasParts, ...servers });
    points.push({ perSecond, p95Ms, refusedPercent: Math.round(refused * 100) });
  }
  return points;
}

const [LEAST, MOST] = [Math.log(RATES[0]!), Math.log(RATES.at(-1)!)];
const x = (rate: number) =>
  MARGIN.left + ((Math.log(rate) - LEAST) / (MOST - LEAST)) * (WIDTH - MARGIN.left - MARGIN.right);
const y = (ms: number) => HEIGHT - MARGIN.bottom - (ms / MOST_MS) * (HEIGHT - MARGIN.top - MARGIN.bottom);
const at = (position: number) => position.toFixed(1);

function drawn(lines: Line[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${[0, 500, 1_000, 1_500, 2_000].map(timeLine).join('\n')}
${RATES.map(rateMark).join('\n')}
${lines.map(lineOf).join('\n')}
${lines.map(legendOf).join('\n')}
<text x="${at(x(RATES.at(-1)!))}" y="${HEIGHT - 6}" text-anchor="end" fill="#57606a">holds of one limited key in a second; what 95 of a hundred took at most, in milliseconds, and how many were refused as busy</text>
</svg>
`;
}

function timeLine(ms: number): string {
  const height = at(y(ms));
  return `<path d="M${MARGIN.left} ${height}H${WIDTH - MARGIN.right}" stroke="#d0d7de"/><text x="${MARGIN.left - 6}" y="${at(y(ms) + 4)}" text-anchor="end" fill="#57606a">${ms}</text>`;
}

function rateMark(rate: number): string {
  return `<text x="${at(x(rate))}" y="${at(y(0) + 16)}" text-anchor="middle" fill="#57606a">${rate}</text>`;
}

function lineOf({ colour, points }: Line): string {
  const places = points.map(({ perSecond, p95Ms }) => `${at(x(perSecond))},${at(y(p95Ms))}`);
  const refused = points
    .filter(({ refusedPercent }) => refusedPercent > 0)
    .map(
      ({ perSecond, p95Ms, refusedPercent }) =>
        `<text x="${at(x(perSecond) + 8)}" y="${at(y(p95Ms) + 4)}" fill="${colour}">${refusedPercent} % refused</text>`,
    );
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
    ...refused,
  ].join('\n');
}

function legendOf({ name, colour }: Line, index: number): string {
  const left = MARGIN.left + index * 220;
  return `<path d="M${left} 16h20" stroke="${colour}" stroke-width="3"/><text x="${left + 26}" y="20">${name}</text>`;
}
