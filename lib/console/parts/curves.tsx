import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { useConsole } from '../environment.ts';

export interface Curve {
  name: string;
  /** One value for each day or hour; null where there is none. */
  values: (number | null)[];
}

/** As many curves as can be told apart. */
export const MAX_CURVES = 6;

const HEIGHT = 240;
const AXIS_NAME_HEIGHT = 20;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** The distances that marks of the axis of time may have. */
const markDistancesSeconds = [
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_SECONDS),
  ...[1, 2, 3, 5, 7, 10, 15, 30].map((days) => days * DAY_SECONDS),
];

interface CurvesProps {
  /** Days or hours, evenly spaced, the earliest first: what `Date.parse` reads. */
  times: string[];
  curves: Curve[];
  label: string;
  /** The least and the greatest value that the picture has room for; those of the curves, where nothing is said. */
  range?: [min: number, max: number] | undefined;
}

/** Curves over days or hours of UTC. What they show stands in a table as well, so a screen reader is only told what the picture is. */
export function Curves({ times, curves, label, range }: CurvesProps) {
  const { isDark, language } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    const seconds = times.map((time) => Date.parse(time) / 1_000);
    const stepSeconds = seconds.length > 1 ? seconds[1]! - seconds[0]! : DAY_SECONDS;
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: {
            time: false,
            range: (_plot, min, max) => (min < max ? [min, max] : [min - stepSeconds, max + stepSeconds]),
          },
          ...(range && { y: { range } }),
        },
        axes: [
          {
            ...axis,
            label: 'UTC',
            labelSize: AXIS_NAME_HEIGHT,
            incrs: markDistancesSeconds.filter((distance) => distance >= stepSeconds),
            values: (_plot, ticks) => ticks.map((tick) => dayOrHour(tick, language)),
          },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => tick.toLocaleString(language)) },
        ],
        series: [
          {},
          ...curves.map(({ name }, index) => ({ label: name, stroke: colour(`--curve-${index + 1}`), width: 2 })),
        ],
      },
      [seconds, ...curves.map(({ values }) => values)],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, curves, range, isDark, language]);
  return (
    <figure>
      <div ref={place} class="curves" role="img" aria-label={label} />
      <figcaption class="legend">
        {curves.map(({ name }, index) => (
          <span key={name}>
            <svg viewBox="0 0 12 12" class={`swatch curve-${index + 1}`} aria-hidden="true">
              <rect width="12" height="12" rx="3" />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** A midnight is written as its day, any other time as its hour. */
function dayOrHour(seconds: number, language: string): string {
  const format: Intl.DateTimeFormatOptions =
    seconds % DAY_SECONDS === 0 ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' };
  return new Date(seconds * 1_000).toLocaleString(language, { ...format, timeZone: 'UTC' });
}
