export interface Line {
  name: string;
  /** CPU time of a request, and longest delay of other requests, by the share of the largest size. */
  points: { share: number; cpuMs: number; delayMs: number }[];
}

const COLOURS = ['#d1242f', '#1f6feb', '#1a7f37'];
const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { top: 60, right: 16, bottom: 44, left: 56 };
const SHARES = [0, 1 / 4, 1 / 2, 3 / 4, 1];

/** Returns the plot of docs/figures.md as SVG. */
export function largePlot(lines: Line[]): string {
  const mostMs = Math.max(...lines.flatMap(({ points }) => points.flatMap(({ cpuMs, delayMs }) => [cpuMs, delayMs])));
  const stepMs = [5, 10, 20, 50, 100].find((step) => mostMs <= 5 * step) ?? 200;
  const x = (share: number) => (MARGIN.left + share * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
  const y = (ms: number) =>
    (HEIGHT - MARGIN.bottom - (ms / (5 * stepMs)) * (HEIGHT - MARGIN.top - MARGIN.bottom)).toFixed(1);
  const lineOf = ({ points }: Line, index: number, value: 'cpuMs' | 'delayMs') =>
    `<polyline points="${points.map((point) => `${x(point.share)},${y(point[value])}`).join(' ')}" fill="none" stroke="${COLOURS[index]}" stroke-width="1.5"${value === 'delayMs' ? ' stroke-dasharray="4 3"' : ''}/>`;
  const legendOf = ({ name }: Line, index: number) =>
    `<path d="M${MARGIN.left + index * 180} 16h20" stroke="${COLOURS[index]}" stroke-width="3"/><text x="${MARGIN.left + index * 180 + 26}" y="20">${name}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${[0, 1, 2, 3, 4, 5].map((step) => `<path d="M${x(0)} ${y(step * stepMs)}H${x(1)}" stroke="#d0d7de"/><text x="${MARGIN.left - 6}" y="${Number(y(step * stepMs)) + 4}" text-anchor="end" fill="#57606a">${step * stepMs}</text>`).join('\n')}
${SHARES.map((share) => `<text x="${x(share)}" y="${HEIGHT - MARGIN.bottom + 16}" text-anchor="middle" fill="#57606a">${share * 100} %</text>`).join('\n')}
${lines.flatMap((line, index) => [lineOf(line, index, 'cpuMs'), lineOf(line, index, 'delayMs')]).join('\n')}
${lines.map(legendOf).join('\n')}
<text x="${MARGIN.left}" y="40" fill="#57606a">solid: CPU of a request in ms; dashed: longest delay of another request in ms</text>
<text x="${x(1)}" y="${HEIGHT - 6}" text-anchor="end" fill="#57606a">share of the largest size</text>
</svg>
`;
}
