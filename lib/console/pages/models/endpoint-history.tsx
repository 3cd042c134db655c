import { useMemo, useState } from 'preact/hooks';
import type { ShownEndpoint } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { Curves, MAX_CURVES, type Curve } from '../../parts/curves.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ChoiceField } from '../../parts/fields.tsx';

const measures = ['uptime', 'latency', 'throughput'] as const;
type Measure = (typeof measures)[number];

/** Uptime has the full scale: otherwise a fall from 100 to 99 would look like a fall to zero. */
const ranges: { [Of in Measure]?: [min: number, max: number] } = { uptime: [0, 100] };

const HOUR_MS = 3_600_000;
const HISTORY_HOURS = 30 * 24;
const MAX_HISTORY_ROWS = 100;

/** Shows the health of endpoints by hour, as curves and as a table of the newest points. */
export function EndpointHistory({ endpoints }: { endpoints: ShownEndpoint[] }) {
  const { texts } = useConsole();
  const { count, percent, duration, time } = useFormats();
  const [measure, setMeasure] = useState<Measure>('uptime');
  const drawn = useMemo(() => drawnOf(endpoints, measure), [endpoints, measure]);
  const newestFirst = endpoints
    .flatMap(({ endpoint_id, history = [] }) => history.map((point) => ({ ...point, endpoint_id })))
    .toSorted((a, b) => (a.hour < b.hour ? 1 : -1));
  return (
    <section>
      <h3>{texts.endpointHistory}</h3>
      {newestFirst.length === 0 ? (
        <p class="quiet">{texts.noHistory}</p>
      ) : (
        <>
          <ChoiceField
            label={texts.shown}
            value={measure}
            choices={measures.map((name) => [name, texts.measures[name]])}
            onChange={(value) => setMeasure(value as Measure)}
          />
          <Curves
            times={drawn.hours}
            curves={drawn.curves}
            label={`${texts.endpointHistory}: ${texts.measures[measure]}`}
            unit={texts.measureUnits[measure]}
            range={ranges[measure]}
          />
          <details>
            <summary>{texts.rowsBeneath}</summary>
            <DataTable
              caption={texts.endpointHistory}
              rows={newestFirst.slice(0, MAX_HISTORY_ROWS)}
              rowKey={({ hour, endpoint_id }) => `${hour} ${endpoint_id}`}
              columns={[
                { title: texts.time, cell: ({ hour }) => time(hour) },
                { title: texts.endpoint, cell: ({ endpoint_id }) => endpoint_id },
                { title: texts.uptime, isFigure: true, cell: ({ uptime }) => percent(uptime) },
                { title: texts.medianLatency, isFigure: true, cell: ({ latency }) => duration(latency ?? undefined) },
                { title: texts.throughput, isFigure: true, cell: ({ throughput }) => count(throughput ?? undefined) },
              ]}
            />
            {newestFirst.length > MAX_HISTORY_ROWS && (
              <p class="quiet">{texts.firstRows(MAX_HISTORY_ROWS, newestFirst.length)}</p>
            )}
          </details>
        </>
      )}
    </section>
  );
}

/**
 * Returns one curve per endpoint, for at most as many endpoints as there are colors; hours without measurements are
 * gaps.
 */
function drawnOf(endpoints: ShownEndpoint[], measure: Measure): { hours: string[]; curves: Curve[] } {
  const shown = endpoints.filter(({ history = [] }) => history.length > 0).slice(0, MAX_CURVES);
  const hours = hoursUntil(Date.now());
  const curves = shown.map(({ endpoint_id, provider_name, history = [] }): Curve => {
    const byHour = new Map(history.map((point) => [point.hour, point[measure]]));
    return {
      name: `${provider_name} ${endpoint_id}`,
      values: hours.map((hour) => byHour.get(hour) ?? null),
    };
  });
  return { hours, curves };
}

/** Returns the hours of thirty days, earliest first. */
function hoursUntil(nowMs: number): string[] {
  const lastMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const earliest = lastMs - (HISTORY_HOURS - 1) * HOUR_MS;
  return Array.from({ length: HISTORY_HOURS }, (_, index) => new Date(earliest + index * HOUR_MS).toISOString());
}
