import { ceilings } from './scale-model.ts';

const COLOURS = ['#d1242f', '#bf8700', '#1a7f37', '#1f6feb', '#8250df', '#57606a', '#0550ae', '#bc4c00', '#bf3989'];
const SECONDS = [1, 2, 4, 8, 15, 30, 60];
const RATES = [10, 100, 1_000, 10_000, 100_000];
const WIDTH = 720;
const HEIGHT = 340;
const MARGIN = { top: 16, right: 220, bottom: 44, left: 56 };

const between = (value: number, from: number, to: number) => Math.log(value / from) / Math.log(to / from);
const x = (seconds: number) =>
  (MARGIN.left + between(seconds, 1, 60) * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
const y = (rate: number) =>
  (HEIGHT - MARGIN.bottom - between(rate, 10, 100_000) * (HEIGHT - MARGIN.top - MARGIN.bottom)).toFixed(1);

/**
 * Returns the plot of docs/scale.md: the requests per second up to each ceiling, by the duration of an answer, for one
 * account.
 */
export function scalePlot(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${RATES.map((rate) => `<path d="M${x(1)} ${y(rate)}H${x(60)}" stroke="#d0d7de"/><text x="${MARGIN.left - 6}" y="${Number(y(rate)) + 4}" text-anchor="end" fill="#57606a">${rate}</text>`).join('\n')}
${SECONDS.map((seconds) => `<text x="${x(seconds)}" y="${HEIGHT - MARGIN.bottom + 16}" text-anchor="middle" fill="#57606a">${seconds}</text>`).join('\n')}
${ceilings.map(({ perSecond }, index) => lineOf(perSecond, index)).join('\n')}
${ceilings.map(({ of }, index) => legendOf(of, index)).join('\n')}
<text x="${x(60)}" y="${HEIGHT - 6}" text-anchor="end" fill="#57606a">requests a second of one account, by the seconds of an answer</text>
</svg>
`;
}

function lineOf(perSecond: (seconds: number, accounts: number) => number, index: number): string {
  const points = SECONDS.map((seconds) => `${x(seconds)},${y(perSecond(seconds, 1))}`);
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[index]}" stroke-width="1.5"/>`;
}

function legendOf(name: string, index: number): string {
  const [left, top] = [WIDTH - MARGIN.right + 16, MARGIN.top + 12 + index * 20];
  return `<path d="M${left} ${top}h20" stroke="${COLOURS[index]}" stroke-width="3"/><text x="${left + 26}" y="${top + 4}">${name}</text>`;
}
