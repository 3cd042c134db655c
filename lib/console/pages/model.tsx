import type { DataOf, ShownEndpoint, ShownModelWithEndpoints } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { DataTable } from '../parts/data-table.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { EndpointHistory } from './models/endpoint-history.tsx';
import { EndpointPlots } from './models/endpoint-plots.tsx';
import { EstimateForm } from './models/estimate-form.tsx';
import { Availability, MillionPrice } from './models/model-facts.tsx';

export function ModelPage({ slug }: { slug: string }) {
  const { texts, client } = useConsole();
  const { count } = useFormats();
  const path = `${modelPath(slug)}?history=true`;
  const model = useLoaded(
    async (signal) => (await client.read<DataOf<ShownModelWithEndpoints>>(path, signal)).body.data,
    [client, path],
  );
  return (
    <>
      <p>
        <a href={hashOf('models')}>← {texts.pages.models}</a>
      </p>
      <h1>{slug}</h1>
      <WhenLoaded of={model}>
        {(found) => (
          <>
            <FactList
              facts={[
                [texts.callable, <Availability model={found} />],
                [texts.context, count(found.context_length)],
                [texts.reads, found.architecture.input_modalities.join(', ')],
                [texts.writes, found.architecture.output_modalities.join(', ')],
              ]}
            />
            <p class="actions">
              <a class="button" href={hashOf('playground', undefined, { model: slug })}>
                {texts.tryIt}
              </a>
            </p>
            <h2>{texts.endpoints}</h2>
            <EndpointTable rows={found.endpoints ?? []} />
            <EndpointPlots
              endpoints={(found.endpoints ?? []).map((endpoint) => ({ name: endpoint.provider_name, endpoint }))}
            />
            <EndpointHistory endpoints={found.endpoints ?? []} />
            <EstimateForm models={[slug]} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

/** Returns the API path of a model's endpoints. Slashes in the id separate segments, so they are not encoded. */
export function modelPath(slug: string): string {
  return `/models/${slug.split('/').map(encodeURIComponent).join('/')}/endpoints`;
}

function EndpointTable({ rows }: { rows: ShownEndpoint[] }) {
  const { texts } = useConsole();
  const { count, percent, duration } = useFormats();
  return (
    <DataTable
      caption={texts.endpoints}
      rows={rows}
      rowKey={({ endpoint_id }) => endpoint_id}
      columns={[
        {
          title: texts.endpoint,
          cell: ({ endpoint_id, provider_name }) => (
            <>
              {provider_name} <code class="quiet">{endpoint_id}</code>
            </>
          ),
        },
        {
          title: texts.health,
          cell: ({ status, available }) => {
            if (available === false) return <span class="badge bad">{texts.no}</span>;
            return status === -1 ? (
              <span class="badge warning">{texts.failing}</span>
            ) : (
              <span class="badge good">{texts.healthy}</span>
            );
          },
        },
        { title: texts.promptMillion, isFigure: true, cell: ({ pricing }) => <MillionPrice price={pricing.prompt} /> },
        {
          title: texts.completionMillion,
          isFigure: true,
          cell: ({ pricing }) => <MillionPrice price={pricing.completion} />,
        },
        { title: texts.uptimeOfDay, isFigure: true, cell: ({ uptime_last_1d }) => percent(uptime_last_1d) },
        { title: texts.medianLatency, isFigure: true, cell: ({ latency_last_30m }) => duration(latency_last_30m?.p50) },
        {
          title: texts.throughput,
          isFigure: true,
          cell: ({ throughput_last_30m }) => count(throughput_last_30m?.p50),
        },
      ]}
    />
  );
}
