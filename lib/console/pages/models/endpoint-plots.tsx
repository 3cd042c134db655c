import type { ShownEndpoint } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { Bar } from '../../parts/bar.tsx';

/** The name is the endpoint's provider, or its model if models are compared. */
export interface NamedEndpoint {
  name: string;
  endpoint: ShownEndpoint;
}

interface PlotRow {
  name: string;
  label: string;
  value: number;
  text: string;
}

/** Shows uptime, latency and throughput of endpoints as bars on a common scale. */
export function EndpointPlots({ endpoints }: { endpoints: NamedEndpoint[] }) {
  const { texts } = useConsole();
  const { count, percent, duration } = useFormats();
  const rowsOf = (valuesOf: (endpoint: ShownEndpoint) => [label: string, value: number | null | undefined][]) =>
    endpoints.flatMap(({ name, endpoint }) =>
      valuesOf(endpoint).flatMap(([label, value]) =>
        value === null || value === undefined ? [] : [{ name, label, value }],
      ),
    );
  const uptime = rowsOf(({ uptime_last_5m, uptime_last_30m, uptime_last_1d }) => [
    [texts.windows.fiveMinutes, uptime_last_5m],
    [texts.windows.halfHour, uptime_last_30m],
    [texts.windows.day, uptime_last_1d],
  ]);
  const latency = rowsOf(({ latency_last_30m }) => percentilesOf(latency_last_30m));
  const speed = rowsOf(({ throughput_last_30m }) => percentilesOf(throughput_last_30m));
  if (uptime.length + latency.length + speed.length === 0) return <p class="quiet">{texts.noStatistics}</p>;
  return (
    <>
      <Plot title={texts.uptime} max={100} rows={uptime.map((row) => ({ ...row, text: percent(row.value) }))} />
      <Plot title={texts.latencySpread} rows={latency.map((row) => ({ ...row, text: duration(row.value) }))} />
      <Plot title={texts.throughputSpread} rows={speed.map((row) => ({ ...row, text: count(row.value) }))} />
      <p class="quiet">{texts.percentilesHint}</p>
    </>
  );
}

function percentilesOf(percentiles: ShownEndpoint['latency_last_30m']): [label: string, value: number | undefined][] {
  return (['p50', 'p75', 'p90', 'p99'] as const).map((name) => [name, percentiles?.[name]]);
}

/** @param max end of the scale; default: the largest value */
function Plot({ title, rows, max }: { title: string; rows: PlotRow[]; max?: number }) {
  if (rows.length === 0) return null;
  const end = max ?? Math.max(...rows.map(({ value }) => value));
  return (
    <section>
      <h3>{title}</h3>
      <dl class="plot">
        {rows.map(({ name, label, value, text }) => (
          <div key={`${name} ${label}`}>
            <dt>
              {name}, {label}
            </dt>
            <dd>
              {text} <Bar spent={end === 0 ? 0 : value / end} held={0} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
