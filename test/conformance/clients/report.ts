/** Tests of the clients over the wires for messages, and their part of test/conformance/results.md. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messagesWires } from '../../../lambdas/catalog/wires.ts';
import { shippedCatalog } from '../../support/catalog.ts';
import type { GatewayClient } from '../../support/gateway.ts';
import { manage } from '../../support/manage.ts';
import { markdownList, markdownTable } from '../markdown.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropicSdks } from './anthropic-sdk.ts';
import { features, type Client, type Feature, type Subject } from './client.ts';
import { embeddingFeatures, reportOnEmbeddings } from './embeddings.ts';
import { langchainOpenAi } from './langchain-openai.ts';
import { langchain } from './langchain.ts';
import { openAiSdk } from './openai-sdk.ts';
import { openRouterSdk } from './openrouter-sdk.ts';

const clients: Client[] = [...anthropicSdks, ...openAiSdk, ...aiSdk, langchain, ...langchainOpenAi, ...openRouterSdk];

interface Cell {
  client: string;
  api: Client['api'];
  wire: string;
  feature: Feature;
  /** Reason why the feature does not work; undefined if it works. */
  failure: string | undefined;
}

/** Feature that is known not to work for a client; the entry must be removed if it works. */
interface KnownGap {
  client: string;
  api: Client['api'];
  wire: string;
  feature: Feature;
  reason: string;
}

const knownGaps: readonly KnownGap[] = [];

interface ClientsReport {
  /** Failures that no known gap explains, and known gaps that work. */
  unexplained: string[];
  table: string;
  markdown: string;
}

interface CatalogEndpoint {
  provider: string;
  wire?: string;
}

interface SandboxModel {
  wire: string;
  model: string;
}

/** Returns the sandbox's first model of each wire for messages. */
export function sandboxModels(): SandboxModel[] {
  const { providers } = read('providers.json') as { providers: { id: string; wire: string }[] };
  const { models } = read('models/sandbox.json') as { models: { id: string; endpoints: CatalogEndpoint[] }[] };
  const wireOf = ({ wire, provider }: CatalogEndpoint) => wire ?? providers.find(({ id }) => id === provider)?.wire;
  return messagesWires.flatMap((wire) => {
    const model = models.find(({ endpoints }) => wireOf(endpoints[0]!) === wire);
    return model ? [{ wire, model: model.id }] : [];
  });
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(shippedCatalog, file), 'utf8'));
}

/**
 * Tests all clients, and reports the results.
 * @param wiresPerClient number of wires with which each client is tested; neighboring clients have different wires
 */
export async function reportOnClients(
  gateway: GatewayClient,
  wiresPerClient = messagesWires.length,
): Promise<ClientsReport> {
  const models = sandboxModels();
  const cells: Cell[] = [];
  for (const [index, client] of clients.entries()) {
    const tried = models.map((_, place) => models[(index * wiresPerClient + place) % models.length]!);
    cells.push(...(await usesOf(client, tried.slice(0, wiresPerClient), gateway)));
  }
  const table = tableOf(cells);
  const gaps = knownGaps.map(
    ({ client, api, wire, feature, reason }) => `${client}, ${api}, ${wire}, ${feature}: ${reason}`,
  );
  const embeddings = await reportOnEmbeddings(gateway);
  const markdown = [
    '## Clients',
    `The wires are ${messagesWires.join(', ')}.`,
    `On each wire, each client does these tasks: ${features.join(', ')}.`,
    table,
    `With embeddings of \`sandbox/embedder\`, each client does these tasks: ${Object.keys(embeddingFeatures).join(', ')}.`,
    embeddings.table,
    gaps.length > 0 ? markdownList(gaps) : 'We know of no task that fails.',
  ];
  return {
    unexplained: [...unexplained(cells), ...embeddings.unexplained],
    table: [table, embeddings.table].join('\n\n'),
    markdown: markdown.join('\n\n'),
  };
}

/** Tests the features of a client over these wires concurrently. */
function usesOf(client: Client, models: SandboxModel[], gateway: GatewayClient): Promise<Cell[]> {
  const places = models.flatMap(({ wire, model }) => features.map((feature) => ({ wire, model, feature })));
  return Promise.all(places.map((place) => use(client, { ...place, gateway })));
}

/** Longer errors are cut, because some contain the whole request. */
const MAX_SHOWN_CHARACTERS = 500;

interface Use {
  wire: string;
  model: string;
  feature: Feature;
  gateway: GatewayClient;
}

async function use(client: Client, { wire, model, feature, gateway }: Use): Promise<Cell> {
  const tried = feature === 'cancel' ? cancelled(client, { gateway, model }) : client.uses[feature]({ gateway, model });
  const failure = await tried.then(
    () => undefined,
    (error: Error) => error.message.slice(0, MAX_SHOWN_CHARACTERS),
  );
  return { client: client.name, api: client.api, wire, feature, failure };
}

const SETTLED_MS = 10_000;

/**
 * Tests that a client can cancel an answer: the only generation of a new key must be recorded as cancelled, with a
 * cost.
 */
async function cancelled(client: Client, { gateway, model }: Subject): Promise<void> {
  const created = await manage(gateway, 'POST', '/keys', { name: `${client.name}, ${client.api}, ${model}` });
  const { key, data } = created.body as { key: string; data: { hash: string } };
  await client.uses.cancel({ gateway: { ...gateway, key }, model });
  const deadline = performance.now() + SETTLED_MS;
  for (;;) {
    const { body } = await manage(gateway, 'GET', `/generations?api_key_hash=${data.hash}`);
    const { data: all } = body as { data: { status: string; total_cost: number }[] };
    if (all.length === 1 && all[0]!.status === 'client_left' && all[0]!.total_cost > 0) return;
    const endings = all.map((one) => `${one.status} for ${one.total_cost} RUB`).join();
    if (performance.now() > deadline) throw new Error(`its generations are ${endings}`);
    await setTimeout(50);
  }
}

function gapOf(cell: Cell): KnownGap | undefined {
  return knownGaps.find(
    ({ client, api, wire, feature }) =>
      client === cell.client && api === cell.api && wire === cell.wire && feature === cell.feature,
  );
}

function unexplained(cells: Cell[]): string[] {
  return cells.flatMap((cell) => {
    const place = `${cell.client}, ${cell.api}, ${cell.wire}, ${cell.feature}`;
    if (cell.failure !== undefined) return gapOf(cell) ? [] : [`${place}: ${cell.failure}`];
    return gapOf(cell) ? [`${place}: works, although it is known not to`] : [];
  });
}

/** Table with one row per client and API, and another row for wires on which a task fails. */
function tableOf(cells: Cell[]): string {
  const rows = Map.groupBy(cells, ({ client, api }) => `${client}\n${api}`);
  return markdownTable(
    ['Client', 'API', 'Tasks'],
    [...rows].flatMap(([place, own]) => [...new Set(tasksByWire(own))].map((tasks) => [...place.split('\n'), tasks])),
  );
}

function tasksByWire(cells: Cell[]): string[] {
  return [...Map.groupBy(cells, ({ wire }) => wire)].map(([wire, own]) => {
    const failed = own.filter(({ failure }) => failure !== undefined).map(({ feature }) => feature);
    return failed.length === 0 ? 'all' : `all but ${failed.join(', ')} on ${wire}`;
  });
}
