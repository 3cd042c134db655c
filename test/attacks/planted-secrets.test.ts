import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, shippedCatalog, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { answer, dialects } from '../support/dialects.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { placesIn } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import { documentedOperations } from '../support/openapi.ts';
import { planted } from '../support/planted-secrets.ts';
import { filmCatalog } from '../support/video-provider.ts';
import { eventually } from '../support/eventually.ts';

/** All text that has left the gateway: addresses, headers and bodies. */
const sent: string[] = [];
let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  const server = createServer(async (request, response) => {
    sent.push(decodeURIComponent(JSON.stringify([request.url, request.headers, await text(request)])));
    if (request.url!.startsWith('/search')) response.end('{"results":[]}');
    else if (request.url!.includes('count_tokens')) response.end('{"input_tokens":9}');
    else if (request.url!.includes('completions')) response.writeHead(400).end('{"error":{"message":"Not now"}}');
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer(dialects.anthropic, 'Fine.'));
  });
  upstream = await listen(server);
  const pricing = { prompt: '0.0001', completion: '0.0001' };
  const providers = (
    ['anthropic', 'decisions-stated', 'openai-embeddings', 'cohere-rerank', 'openai-images', 'openai-speech'] as const
  ).map((wire) => ({
    id: `test-${wire}`,
    name: wire,
    wire,
    base_url: upstream.url,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  }));
  const film = filmCatalog(upstream.url, ['films']);
  const quirks = { count_tokens: true, thinks_by_default: false };
  const models = [
    textModel('test/text', [{ provider: 'test-anthropic', pricing, quirks }], {
      input_modalities: ['text', 'image', 'file'],
      supported_parameters: ['tools', 'tool_choice', 'stop', 'temperature', 'reasoning', 'structured_outputs'],
    }),
    textModel('test/embedder', [{ provider: 'test-openai-embeddings', pricing }], {
      output_modalities: ['embeddings'],
    }),
    textModel('test/ranker', [{ provider: 'test-cohere-rerank', pricing }], {
      output_modalities: ['rerank'],
      supported_parameters: ['max_tokens_per_doc'],
    }),
    textModel(
      'test/painter',
      [
        {
          provider: 'test-openai-images',
          pricing,
          image: { output_formats: ['png'], max_images: 10, max_references: 4 },
        },
      ],
      { output_modalities: ['image'], supported_parameters: ['seed', 'moderation'] },
    ),
    textModel('test/speaker', [{ provider: 'test-openai-speech', pricing, quirks: { default_voice: 'ann' } }], {
      output_modalities: ['speech'],
      supported_parameters: ['speed', 'instructions'],
    }),
    textModel('test/decider', [{ provider: 'test-decisions-stated', pricing }], { output_modalities: ['decisions'] }),
    ...film.models,
  ];
  catalog = catalogDirectory(models, [...providers, ...film.providers]);
  copyFileSync(join(shippedCatalog, 'search.json'), join(catalog.path, 'search.json'));
  gateway = await startGateway({ args: ['--catalog', catalog.path], env: { SEARXNG_URL: upstream.url } });
  const { body } = await manage(gateway, 'POST', '/keys', {
    name: 'protected',
    sensitive_data: { enabled: true, action: 'replace', categories: ['email'] },
  });
  gateway.key = body.key as string;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

/**
 * Matches fields with encoded values, such as signatures and bytes of files. They cannot be read, so they are not
 * searched.
 */
const ENCODED = /(?:\.signature|\.encrypted_\w+|source<0>\.data|<4>\.data)$/;

interface PlantedRoute {
  name: string;
  path: string;
  model: string;
  /** Minimum number of its requests that reach a provider. */
  sends: number;
  forms?: Record<string, string>;
}

/** Routes that send the client's texts to a provider. */
const routes: PlantedRoute[] = [
  { name: 'POST /messages', path: '/messages', model: 'test/text', sends: 280 },
  { name: 'POST /messages/count_tokens', path: '/messages/count_tokens', model: 'test/text', sends: 280 },
  { name: 'POST /decisions', path: '/decisions', model: 'test/decider', sends: 10 },
  { name: 'POST /embeddings', path: '/embeddings', model: 'test/embedder', sends: 3 },
  { name: 'POST /rerank', path: '/rerank', model: 'test/ranker', sends: 3 },
  { name: 'POST /images', path: '/images', model: 'test/painter', sends: 3 },
  { name: 'POST /audio/speech', path: '/audio/speech', model: 'test/speaker', sends: 3 },
  { name: 'POST /chat/completions', path: '/chat/completions', model: 'test/text', sends: 50 },
  { name: 'POST /responses', path: '/responses', model: 'test/text', sends: 35 },
  { name: 'POST /videos', path: '/videos', model: 'test/film', sends: 3, forms: { prompt: 'Rain' } },
];

const PLANT = 'PLANTED';
const nameOf = (index: number) => `leak${index}x`;

/** Number of texts of each route that are always tested. Of routes with more than twice as many, a part is tested. */
const SOME = 100;

interface PlantedValue {
  place: string;
  name: string;
}

/**
 * Sends a body for each text of a route's schema, with a planted value in the text.
 * @returns the positions, and the tested share of them
 */
async function planting({
  name,
  path,
  model,
  forms,
}: PlantedRoute): Promise<{ values: PlantedValue[]; share: number }> {
  const { body } = documentedOperations.find((one) => one.name === name)!;
  const bodies = planted(body!, PLANT, {
    model,
    role: 'user',
    url: 'https://example.org/a.png',
    name: 'look',
    // Invalid base64 would be refused, together with the planted texts, so these bytes are valid.
    data: 'V29yZHM=',
    ...forms,
  });
  const values: PlantedValue[] = [];
  for (const index of placesIn(bodies.length, { ofWhichAlways: SOME })) {
    const { path: place, value } = bodies[index]!;
    const email = `${nameOf(index)}@secret.example`;
    const response = await post(gateway, path, JSON.stringify(value).replaceAll(PLANT, email));
    await response.text();
    values.push({ place, name: nameOf(index) });
  }
  return { values, share: values.length / bodies.length };
}

/**
 * Returns the minimum number of requests that must reach a provider. If only a part of the texts is tested, slightly
 * fewer than their share may be accepted.
 */
function leastSent({ sends }: PlantedRoute, share: number): number {
  return share === 1 ? sends : Math.floor(sends * share * 0.85);
}

describe('a secret in any text of a request', () => {
  it.each(routes)('of $name appears in no log, record or error', { timeout: 120_000 }, async (route) => {
    sent.length = 0;
    const { values, share } = await planting(route);
    // Videos are submitted after their response.
    await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(leastSent(route, share)));

    const isLeaked = ({ place, name }: PlantedValue) =>
      !ENCODED.test(place) && sent.some((words) => words.includes(name));
    expect(values.filter(isLeaked)).toEqual([]);
  });
});
