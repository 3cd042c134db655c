/**
 * Compares the gateway's requests with requests that providers accepted. Each recorded request is converted to an
 * equivalent request of the Messages API, and encoded by the gateway. The result is checked against the schema of the
 * accepted requests, and must have the same meaning as the recorded request.
 */

import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import { messagesRequestSchema } from '../../../lambdas/messages/schema.ts';
import { declaredSearch } from '../../../lambdas/messages/search-tool.ts';
import type { WireTarget } from '../../../lambdas/providers/wire.ts';
import { messagesWire } from '../../../lambdas/providers/wires.ts';
import { loadShippedCatalog } from '../../support/catalog.ts';
import { complaintsAbout, schemaOf, type BodySchema } from './body-schema.ts';
import type { Interaction } from './interactions.ts';
import { differingParts } from './meaning.ts';
import type { Measured } from './measured.ts';
import type { WireRow } from './wire-row.ts';

type Recorded = Interaction & { request: NonNullable<Interaction['request']> };

/** Occurrences of each field without an equivalent in the Messages API. */
export type Unsaid = Map<string, number>;

export function measureRequests(
  rows: readonly WireRow[],
  interactions: Interaction[],
): { measured: Measured[]; unsaid: Unsaid } {
  const recorded = interactions.filter((interaction): interaction is Recorded => interaction.request !== undefined);
  const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
  const unsaid: Unsaid = new Map();
  const measured = [...Map.groupBy(recorded, ({ provider, wire }) => `${wire} ${provider}`).values()].flatMap(
    (group) => {
      const row = rows.find(({ wire }) => wire === group[0]!.wire)!;
      const accepted = group.filter(({ answer }) => answer.kind !== 'refusal');
      const schema = schemaOf(accepted.map(({ request }) => request.body));
      return group.map((interaction) => ({
        interaction,
        complaints: complaintsAboutRequest(interaction, { row, schema, endpoints, unsaid }),
      }));
    },
  );
  return { measured, unsaid };
}

interface Knowledge {
  row: WireRow;
  schema: BodySchema;
  endpoints: Endpoint[];
  unsaid: Unsaid;
}

function complaintsAboutRequest({ provider, request: { uri, body } }: Recorded, known: Knowledge): string[] {
  const { row, schema, unsaid } = known;
  try {
    const read = row.readRequest(body as Record<string, unknown>, uri);
    for (const field of read.unsaid)
      unsaid.set(`${row.wire}: ${field}`, (unsaid.get(`${row.wire}: ${field}`) ?? 0) + 1);
    const accepted = messagesRequestSchema.safeParse(read.request);
    if (!accepted.success) return accepted.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    const target = targetOf(provider, accepted.data.model, known);
    if (declaredSearch(accepted.data)) return ['the provider is asked for its own search'];
    const sent = messagesWire(row.wire)!.encode(accepted.data, target, {
      anthropicVersion: '2023-06-01',
      anthropicBeta: undefined,
    });
    const ours = JSON.parse(sent.body) as Record<string, unknown>;
    const documented = row.documented.filter(({ providers }) => providers?.includes(provider) ?? true);
    return [
      ...complaintsAbout(ours, schema).filter(
        (complaint) => !documented.some((field) => field.complaint === complaint),
      ),
      ...differingParts(read.request, row.readRequest(ours, sent.path).request, target.quirks),
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Returns the endpoint in the shipped catalog, or an endpoint of the same provider; other providers get only the quirks
 * of the wire's row.
 */
export function targetOf(
  provider: string,
  model: string,
  { row, endpoints }: Pick<Knowledge, 'row' | 'endpoints'>,
): WireTarget {
  const { catalogId, quirks } = row.endpoint(provider, model);
  const own = endpoints.filter((endpoint) => endpoint.provider.id === catalogId && endpoint.wire === row.wire);
  const endpoint =
    own.find(({ upstreamModel }) => upstreamModel === model || model.startsWith(upstreamModel)) ?? own[0];
  return {
    providerId: provider,
    upstreamModel: model,
    maxOutputTokens: undefined,
    supportedParameters: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'reasoning', 'structured_outputs'],
    quirks: { ...endpoint?.quirks, ...quirks },
  };
}
