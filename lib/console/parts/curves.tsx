import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { useConsole } from '../environment.ts';
import { CurveLegend } from './curve-legend.tsx';
import { DAY_SECONDS, markText, timeMarks } from './time-axis.ts';

export interface Curve {
  name: string;
  /** One value per day or hour; null without a value. */
  values: (number | null)[];
}

/** The themes have six distinguishable colors (`--curve-1` to `--curve-6`). */
export const MAX_CURVES = 6;

const HEIGHT = 240;
const AXIS_NAME_SIZE = 18;
/** Minimum width of a mark on the time axis, in pixels. */
const MARK_WIDTH = 64;
const POINT_SIZE = 5;

interface CurvesProps {
  /** Evenly spaced days or hours in a format of `Date.parse`, earliest first. */
  times: string[];
  curves: Curve[];
  label: string;
  unit: string;
  /** Range of the value axis; default: the range of the curves. */
  range?: [min: number, max: number] | undefined;
}

/** Chart with curves over UTC days or hours. Screen readers get only the label. */
export function Curves({ times, curves, label, unit, range }: CurvesProps) {
  const { isDark, language } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const seconds = times.map((time) => Date.parse(time) / 1_000);
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: {
            time: false,
            range: (_plot, min, max) => (min < max ? [min, max] : [min - DAY_SECONDS, max + DAY_SECONDS]),
          },
          ...(range && { y: { range } }),
        },
        axes: axesOf({ seconds, unit, language }),
        series: [
          {},
          ...curves.map(({ name, values }, index) => ({
            label: name,
            stroke: colorOf(`--curve-${index + 1}`),
            width: 2,
            points: { show: true, size: POINT_SIZE, filter: () => lonePoints(values) },
          })),
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
  }, [times, curves, unit, range, isDark, language]);
  return (
    <figure>
      <div ref={place} class="curves" role="img" aria-label={label} />
      <CurveLegend names={curves.map(({ name }) => name)} />
    </figure>
  );
}

/** Returns the indexes of values without neighbors, which a curve would not show. */
function lonePoints(values: readonly (number | null)[]): number[] {
  const isThere = (index: number) => values[index] !== undefined && values[index] !== null;
  return [...values.keys()].filter((index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
}

function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axesOf({ seconds, unit, language }: { seconds: number[]; unit: string; language: string }): UPlot.Axis[] {
  const axis = {
    stroke: colorOf('--quiet'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
    labelSize: AXIS_NAME_SIZE,
  };
  return [
    {
      ...axis,
      label: 'UTC',
      size: 28,
      splits: ({ width }) => timeMarks({ times: seconds, most: Math.floor(width / MARK_WIDTH) }),
      values: (_plot, ticks) => ticks.map((tick) => markText(tick, language)),
    },
    {
      ...axis,
      label: unit,
      size: 56,
      values: (_plot, ticks) => ticks.map((tick) => tick.toLocaleString(language)),
    },
  ];
}
