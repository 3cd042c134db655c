import { useConsole } from '../environment.ts';
import { CurveLegend } from './curve-legend.tsx';
import { markText } from './time-axis.ts';

export interface BarPart {
  name: string;
  /** One value per day. The values only determine heights, so they may be rounded. */
  values: number[];
}

interface StackedBarsProps {
  /** UTC days, earliest first. */
  days: string[];
  parts: BarPart[];
  label: string;
  unit: string;
  /** Returns the exact total of a day, shown when the reader points at its bar. */
  totalOf: (day: string) => string;
}

/** Maximum number of parts that colors can distinguish. */
export const MAX_BAR_PARTS = 6;

const HEIGHT = 100;
const GAP = 0.2;
const DAYS_PER_MARK = 6;

/** Chart with one bar per day, stacked from its parts. */
export function StackedBars({ days, parts, label, unit, totalOf }: StackedBarsProps) {
  const { language } = useConsole();
  const top = roundedUp(Math.max(...days.map((_, day) => sumOf(parts.map(({ values }) => values[day]!)))));
  const marks = [top, top / 2, 0];
  return (
    <figure>
      <div class="stack" role="img" aria-label={label}>
        <div class="scale">
          {marks.map((mark) => (
            <span key={mark}>
              {mark.toLocaleString(language)} {unit}
            </span>
          ))}
        </div>
        <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none">
          {days.map((day, index) => (
            <g key={day} class={index === days.length - 1 ? 'unfinished' : undefined}>
              <title>{`${dayMark(day, language)}: ${totalOf(day)}`}</title>
              <rect class="ground" x={index} width={1} height={HEIGHT} />
              {rectsOf(parts, index, top).map(({ color, y, height }) => (
                <rect key={color} class={color} x={index + GAP / 2} width={1 - GAP} y={y} height={height} />
              ))}
            </g>
          ))}
        </svg>
        <div class="days">
          {days.map((day, index) => {
            const beforeLast = days.length - 1 - index;
            return <span key={day}>{index > 0 && beforeLast % DAYS_PER_MARK === 0 && dayMark(day, language)}</span>;
          })}
        </div>
      </div>
      <CurveLegend names={parts.map(({ name }) => name)} />
    </figure>
  );
}

/** Returns the parts of a day, from bottom to top. */
function rectsOf(parts: BarPart[], day: number, top: number) {
  let y = HEIGHT;
  return parts.map(({ values }, index) => {
    const height = top === 0 ? 0 : (values[day]! / top) * HEIGHT;
    y -= height;
    return { color: `curve-${index + 1}`, y, height };
  });
}

function roundedUp(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= value)!;
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function dayMark(day: string, language: string): string {
  return markText(Date.parse(day) / 1_000, language);
}
