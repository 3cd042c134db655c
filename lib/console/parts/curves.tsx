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

/** Curves over days, or over the hours of days. What they show stands in a table as well, so a screen reader is only told what the picture is. */
export function Curves({ days, curves, label }: { days: string[]; curves: Curve[]; label: string }) {
  const { isDark, language } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        axes: [
          { ...axis, values: (_plot, ticks) => ticks.map((tick) => dayAndMonth(tick, language)) },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => tick.toLocaleString(language)) },
        ],
        series: [
          {},
          ...curves.map(({ name }, index) => ({ label: name, stroke: colour(`--curve-${index + 1}`), width: 2 })),
        ],
      },
      [days.map((day) => Date.parse(day) / 1_000), ...curves.map(({ values }) => values)],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [days, curves, isDark, language]);
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

function dayAndMonth(seconds: number, language: string): string {
  return new Date(seconds * 1_000).toLocaleDateString(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
