import type { ComponentChildren } from 'preact';
import type { DataOf, ShownModelWithEndpoints } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { WhenLoaded } from '../parts/notice.tsx';
import { modelPath } from './model.tsx';
import { EndpointPlots, type NamedEndpoint } from './models/endpoint-plots.tsx';
import { EstimateForm } from './models/estimate-form.tsx';
import { Availability, MillionPrice } from './models/model-facts.tsx';

type Fact = [title: string, of: (model: ShownModelWithEndpoints) => ComponentChildren];

/** Compares at most four models. */
export function CompareModels({ slugs }: { slugs: string[] }) {
  const { texts, client } = useConsole();
  const { count, percent, duration } = useFormats();
  const models = useLoaded(
    async (signal) =>
      Promise.all(
        slugs.slice(0, 4).map(async (slug) => {
          const { body } = await client.read<DataOf<ShownModelWithEndpoints>>(modelPath(slug), signal);
          return body.data;
        }),
      ),
    [client, slugs.join(',')],
  );
  const facts: Fact[] = [
    [texts.callable, (model) => <Availability model={model} />],
    [texts.context, ({ context_length }) => count(context_length)],
    [texts.reads, ({ architecture }) => architecture.input_modalities.join(', ')],
    [texts.promptMillion, ({ pricing }) => <MillionPrice price={pricing.prompt} />],
    [texts.completionMillion, ({ pricing }) => <MillionPrice price={pricing.completion} />],
    [texts.cacheReadMillion, ({ pricing }) => <MillionPrice price={pricing.input_cache_read} />],
    [texts.endpoints, ({ endpoints = [] }) => endpoints.map(({ provider_name }) => provider_name).join(', ')],
    [texts.uptimeOfDay, ({ endpoints = [] }) => percent(endpoints[0]?.uptime_last_1d)],
    [texts.medianLatency, ({ endpoints = [] }) => duration(endpoints[0]?.latency_last_30m?.p50)],
    [texts.throughput, ({ endpoints = [] }) => count(endpoints[0]?.throughput_last_30m?.p50)],
  ];
  return (
    <>
      <p>
        <a href={hashOf('models')}>← {texts.pages.models}</a>
      </p>
      <h1>{texts.comparison}</h1>
      <WhenLoaded of={models}>
        {(found) => (
          <>
            <div class="scrolled" tabIndex={0} role="region" aria-label={texts.comparison}>
              <table>
                <thead>
                  <tr>
                    <td />
                    {found.map(({ id }) => (
                      <th key={id} scope="col">
                        <a href={hashOf('models', id)}>{id}</a>
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {facts.map(([title, of]) => (
                    <tr key={title}>
                      <th scope="row">{title}</th>
                      {found.map((model) => (
                        <td key={model.id}>{of(model)}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <EndpointPlots endpoints={found.flatMap(firstEndpointOf)} />
          </>
        )}
      </WhenLoaded>
      <p class="quiet">{texts.firstEndpointHint}</p>
      <EstimateForm models={slugs} />
    </>
  );
}

function firstEndpointOf({ id, endpoints = [] }: ShownModelWithEndpoints): NamedEndpoint[] {
  return endpoints.slice(0, 1).map((endpoint) => ({ name: id, endpoint }));
}
