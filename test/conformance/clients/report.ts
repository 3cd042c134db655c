/** Every client over every wire of the sandbox, and the part of docs/conformance.md that tells of it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesWires } from '../../../lambdas/catalog/wires.ts';
import { shippedCatalog } from '../../support/catalog.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { markdownList, markdownTable } from '../markdown.ts';
import { aiSdk } from './ai-sdk.ts';
import { anthropicSdks } from './anthropic-sdk.ts';
import { features, type Client, type Feature } from './client.ts';
import { langchain } from './langchain.ts';

const clients: Client[] = [...anthropicSdks, aiSdk, langchain];

interface Cell {
  client: string;
  wire: string;
  feature: Feature;
  /** Why it does not work; undefined where it does. */
  failure: string | undefined;
}

/** What is known not to work, and why. One that works has to go. */
interface KnownGap {
  client: string;
  wire: string;
  feature: Feature;
  reason: string;
}

const knownGaps: readonly KnownGap[] = [];

interface ClientsReport {
  /** Cells that are neither as they should be nor known. */
  unexplained: string[];
  table: string;
  markdown: string;
}

interface CatalogEndpoint {
  provider: string;
  wire?: string;
}

/** The first model of each wire that the sandbox speaks. */
export function sandboxModels(): { wire: string; model: string }[] {
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

export async function reportOnClients(gateway: RunningGateway): Promise<ClientsReport> {
  const cells = await Promise.all(
    clients.flatMap((client) =>
      sandboxModels().flatMap(({ wire, model }) =>
        features.map((feature) => use(client, { wire, model, feature, gateway })),
      ),
    ),
  );
  const table = tableOf(cells);
  const gaps = knownGaps.map(({ client, wire, feature, reason }) => `${client}, ${wire}, ${feature}: ${reason}`);
  const markdown = ['## Clients', table, gaps.length > 0 ? markdownList(gaps) : 'Nothing is known not to work.'];
  return { unexplained: unexplained(cells), table, markdown: markdown.join('\n\n') };
}

interface Use {
  wire: string;
  model: string;
  feature: Feature;
  gateway: RunningGateway;
}

async function use(client: Client, { wire, model, feature, gateway }: Use): Promise<Cell> {
  const failure = await client.uses[feature]({ gateway, model }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { client: client.name, wire, feature, failure };
}

function gapOf(cell: Cell): KnownGap | undefined {
  return knownGaps.find(
    ({ client, wire, feature }) => client === cell.client && wire === cell.wire && feature === cell.feature,
  );
}

function unexplained(cells: Cell[]): string[] {
  return cells.flatMap((cell) => {
    const place = `${cell.client}, ${cell.wire}, ${cell.feature}`;
    if (cell.failure !== undefined) return gapOf(cell) ? [] : [`${place}: ${cell.failure}`];
    return gapOf(cell) ? [`${place}: works, although it is known not to`] : [];
  });
}

function tableOf(cells: Cell[]): string {
  const rows = Map.groupBy(cells, ({ client, wire }) => `${client}\n${wire}`);
  return markdownTable(
    ['Client', 'Wire', ...features],
    [...rows].map(([place, own]) => [
      ...place.split('\n'),
      ...own.map(({ failure }) => (failure === undefined ? 'yes' : 'no')),
    ]),
  );
}
