import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTable } from '../../lambdas/store/table/table.ts';
import { LocalState } from '../../lib/shared/data-directory/state.ts';
import { catalogDirectory, shippedCatalog, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { answer, dialects } from '../support/dialects.ts';
import { documentsOf } from '../support/documents.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { placesIn } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import { documentedOperations } from '../support/openapi.ts';
import { planted, type Forms } from '../support/planted-secrets.ts';
import { filmCatalog } from '../support/video-provider.ts';
import { eventually } from '../support/eventually.ts';

const providerWires = [
  'anthropic',
  'decisions-stated',
  'openai-embeddings',
  'cohere-rerank',
  'openai-images',
  'openai-speech',
  'openai-transcription',
] as const;
const TRANSCRIPT = 'The code of the safe is 7-4-1-9.';

/** Addresses, headers and bodies that the gateway has sent. */
const sent: string[] = [];
let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
let directory: string;
beforeAll(async () => {
  const server = createServer(async (request, response) => {
    sent.push(decodeURIComponent(JSON.stringify([request.url, request.headers, await text(request)])));
    if (request.url!.startsWith('/search')) response.end('{"results":[]}');
    else if (request.url!.includes('count_tokens')) response.end('{"input_tokens":9}');
    else if (request.url!.includes('/audio/tran')) response.end(JSON.stringify({ text: TRANSCRIPT, usage: {} }));
    // The gateway does not retry after status 400, but it retries after a malformed answer.
    else if (/completions|embeddings|rerank|images|speech/.test(request.url!))
      response.writeHead(400).end('{"error":{"message":"Not now"}}');
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer(dialects.anthropic, 'Fine.'));
  });
  upstream = await listen(server);
  const pricing = { prompt: '0.0001', completion: '0.0001' };
  const providers = providerWires.map((wire) => ({
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
      { output_modalities: ['image'], supported_parameters: ['seed', 'moderation', 'mask'] },
    ),
    textModel('test/speaker', [{ provider: 'test-openai-speech', pricing, quirks: { default_voice: 'ann' } }], {
      output_modalities: ['speech'],
      supported_parameters: ['speed', 'instructions'],
    }),
    textModel('test/scribe', [{ provider: 'test-openai-transcription', pricing }], {
      output_modalities: ['transcription'],
      supported_parameters: ['prompt', 'keywords', 'language', 'translations'],
    }),
    textModel('test/decider', [{ provider: 'test-decisions-stated', pricing }], { output_modalities: ['decisions'] }),
    ...film.models,
  ];
  catalog = catalogDirectory(models, [...providers, ...film.providers]);
  copyFileSync(join(shippedCatalog, 'search.json'), join(catalog.path, 'search.json'));
  directory = mkdtempSync(join(tmpdir(), 'gateway-planted-'));
  gateway = await startGateway({
    args: ['--data', directory, '--catalog', catalog.path],
    env: { SEARXNG_URL: upstream.url },
  });
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
  rmSync(directory, { recursive: true, force: true });
});

/** Paths of encoded values, such as signatures and bytes of files, which the gateway cannot read. */
const ENCODED = /(?:\.signature|\.encrypted_\w+|source<base64>\.data|<redacted_thinking>\.data)$/;

/** Paths of texts that the gateway records on purpose: models and tags. */
const RECORDED = /^\.model(?:s|_id)?\b|^\.metadata\b.*\.tags\b/;

interface PlantedRoute {
  name: string;
  path: string;
  model: string;
  /** Minimum number of the route's requests that reach a provider. */
  sends: number;
  forms?: Forms;
}

const picture = { image_url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA' };
const recording = { input_audio: { data: shortRecording }, url: undefined, data: shortRecording };

/** Routes that send the client's texts to a provider, except /speech-to-text, which accepts only forms. */
const routes: PlantedRoute[] = [
  { name: 'POST /messages', path: '/messages', model: 'test/text', sends: 280 },
  { name: 'POST /messages/count_tokens', path: '/messages/count_tokens', model: 'test/text', sends: 280 },
  { name: 'POST /decisions', path: '/decisions', model: 'test/decider', sends: 10 },
  { name: 'POST /embeddings', path: '/embeddings', model: 'test/embedder', sends: 3 },
  { name: 'POST /rerank', path: '/rerank', model: 'test/ranker', sends: 3 },
  { name: 'POST /images', path: '/images', model: 'test/painter', sends: 3 },
  { name: 'POST /images/generations', path: '/images/generations', model: 'test/painter', sends: 3 },
  { name: 'POST /images/edits', path: '/images/edits', model: 'test/painter', sends: 3, forms: { images: [picture] } },
  {
    name: 'POST /audio/transcriptions',
    path: '/audio/transcriptions',
    model: 'test/scribe',
    sends: 3,
    forms: recording,
  },
  { name: 'POST /audio/translations', path: '/audio/translations', model: 'test/scribe', sends: 3, forms: recording },
  { name: 'POST /audio/speech', path: '/audio/speech', model: 'test/speaker', sends: 3 },
  {
    name: 'POST /text-to-speech/{voice_id}',
    path: '/text-to-speech/alto',
    model: 'test/speaker',
    sends: 3,
    forms: { model_id: 'test/speaker' },
  },
  {
    name: 'POST /text-to-speech/{voice_id}/stream',
    path: '/text-to-speech/alto/stream',
    model: 'test/speaker',
    sends: 3,
    forms: { model_id: 'test/speaker' },
  },
  {
    name: 'POST /chat/completions',
    path: '/chat/completions',
    model: 'test/text',
    sends: 70,
    forms: { messages: [{ role: 'user', content: 'Hello' }] },
  },
  { name: 'POST /responses', path: '/responses', model: 'test/text', sends: 35 },
  { name: 'POST /responses/input_tokens', path: '/responses/input_tokens', model: 'test/text', sends: 35 },
  { name: 'POST /systemone', path: '/systemone', model: 'test/decider', sends: 10 },
  { name: 'POST /videos', path: '/videos', model: 'test/film', sends: 3, forms: { prompt: 'Rain' } },
];

async function storedText(): Promise<string> {
  const run = LocalState.at(directory).running()!;
  const table = openTable({ endpoint: run.dynamodb_endpoint, name: run.table_name });
  const items: unknown[] = [];
  for await (const page of paginateScan({ client: documentsOf(table) }, { TableName: table.name })) {
    items.push(...(page.Items ?? []));
  }
  return JSON.stringify(items);
}

const PLANT = 'PLANTED';
const nameOf = (path: string, index: number) => `leak${routes.findIndex((route) => route.path === path)}n${index}x`;

/** Minimum number of texts of a route that are tested. If a route has fewer than twice as many, all are tested. */
const SOME = 100;

interface PlantedValue {
  place: string;
  name: string;
}

/**
 * Sends bodies, each with a planted value in one text of the route's schema. Returns the planted values with their
 * positions, and the share of all positions that was tested.
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
    // Invalid base64 would be refused.
    data: 'V29yZHM=',
    ...forms,
  });
  const values: PlantedValue[] = [];
  for (const index of placesIn(bodies.length, { ofWhichAlways: SOME })) {
    const { path: place, value } = bodies[index]!;
    const email = `${nameOf(path, index)}@secret.example`;
    const response = await post(gateway, path, JSON.stringify(value).replaceAll(PLANT, email));
    await response.text();
    values.push({ place, name: nameOf(path, index) });
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
  it.each(routes)('of $name reaches no provider, log or record', async (route) => {
    sent.length = 0;
    const { values, share } = await planting(route);
    // The gateway submits a video to its provider after it has answered the client.
    await eventually(() => expect(sent.length).toBeGreaterThanOrEqual(leastSent(route, share)));

    const isLeaked = ({ place, name }: PlantedValue) =>
      !ENCODED.test(place) && sent.some((words) => words.includes(name));
    expect(values.filter(isLeaked)).toEqual([]);
    const kept = `${gateway.log()}${await storedText()}`;
    expect(values.filter(({ place, name }) => !RECORDED.test(place) && kept.includes(name))).toEqual([]);
    expect(kept).not.toContain(TRANSCRIPT);
  });
});
