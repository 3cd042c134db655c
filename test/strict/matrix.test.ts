/**
 * The gateway must express each feature as the provider of an endpoint for messages accepts it, or refuse it by name.
 * Except for some blank texts, no request may reach a provider that refuses it.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MediaModality } from '../../lambdas/catalog/quirk-values.ts';
import { messagesWires, type MessagesWireName } from '../../lambdas/catalog/wires.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { isLongForm, runSeed } from '../support/long-runs.ts';
import { askEndpoint, readWishes, type ReadWishes } from './asking.ts';
import { fakeOf } from './fakes.ts';
import { pairwiseRows, quietRow, seededRandom } from './pairs.ts';
import type { Wishes } from './wishes.ts';

interface Place {
  model: Model;
  endpoint: Endpoint;
}

const places: Place[] = loadShippedCatalog()
  .models.filter(({ aliasOf, id }) => !aliasOf && !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
  .filter(({ endpoint }) => endpoint.pricing && messagesWires.includes(endpoint.wire as MessagesWireName));

/**
 * Returns the class of an endpoint. In the short form, endpoints with the same dialect, parameters, inputs, output
 * limit and default parameters share the rows with few features.
 */
function classOf(place: Place): string {
  const { supportedParameters, inputModalities, maxOutputTokens } = place.endpoint;
  const defaults = place.model.data.default_parameters;
  return JSON.stringify([dialectOf(place), supportedParameters, inputModalities, maxOutputTokens, defaults]);
}

/**
 * Returns the dialect of an endpoint. In the short form, endpoints with the same wire, provider and quirks share the
 * pairwise rows.
 */
function dialectOf({ endpoint: { wire, provider, quirks } }: Place): string {
  return JSON.stringify([wire, provider.id, quirks]);
}

/** Number of rows with few features, for each class of endpoints, or in the long form for each endpoint. */
const QUIET_ROWS = isLongForm ? 1_500 : 100;

const random = seededRandom(runSeed);
const pairwise = pairwiseRows(runSeed);
const quiet = Array.from({ length: QUIET_ROWS }, () => quietRow(random));
const [pairwiseRead, quietRead] = [pairwise, quiet].map((some) => some.map((row) => readWishes(row))) as [
  ReadWishes[],
  ReadWishes[],
];
const rows = [...pairwiseRead, ...quietRead];
/** Few features, because models that generate images support little else. */
const plain = { choice: 'no_tools', format: 'unsaid', tuning: 'seed', stop: 'one' } as const;
/** Music models accept only one turn. */
const single = { ...plain, history: 'question', stop: 'unsaid' } as const;
const mediaRowsOf = (makes: MediaModality, isMusic = false) =>
  [...pairwise, ...quiet].map((row, index) =>
    readWishes({ ...row, api: 'chat', ...(index % 2 === 0 ? (isMusic ? single : plain) : {}) }, makes, isMusic),
  );
const mediaRows = { image: mediaRowsOf('image'), audio: mediaRowsOf('audio') };
const musicRows = mediaRowsOf('audio', true);

interface Groups {
  classes: ReadonlyMap<string, Place[]>;
  dialects: ReadonlyMap<string, Place[]>;
}

function rowsOf(place: Place, { classes, dialects }: Groups): ReadWishes[] {
  const [makes] = place.endpoint.quirks.modalities ?? [];
  if (makes) return place.endpoint.pricing?.song ? musicRows : mediaRows[makes];
  if (isLongForm) return rows;
  return [
    ...partOf(pairwiseRead, place, dialects.get(dialectOf(place))!),
    ...partOf(quietRead, place, classes.get(classOf(place))!),
  ];
}

/**
 * Returns the part of the rows that is sent to an endpoint of a group. The order of the parts depends on the commit.
 */
function partOf(list: readonly ReadWishes[], place: Place, group: readonly Place[]): ReadWishes[] {
  const turn = (group.indexOf(place) + runSeed) % group.length;
  return list.filter((_, index) => index % group.length === turn);
}

/**
 * Whether a provider may refuse a request. From the Messages API, Anthropic gets blank texts of the user, and Claude's
 * hosts get white space next to signed thinking, because the signature may cover the white space.
 */
function mayBeRefused(row: Wishes, { endpoint: { wire, quirks } }: Place, refusal: string): boolean {
  if (row.api !== 'messages' || wire !== 'anthropic' || !refusal.includes('non-whitespace text')) return false;
  const { own_service: isOwn, own_signatures: isImitation } = quirks as AnthropicQuirks;
  return isOwn === true || (!isImitation && ['signed_thinking', 'cut_off_thinking'].includes(row.history));
}

const byField = new Map<string, number>();
const counts = {
  places: places.length,
  rows: rows.length,
  combinations: 0,
  sent: 0,
  refusedAtDoor: 0,
  refusedByName: 0,
  refusedWithoutName: 0,
};

/** Refusals, each with its number and one example. */
type Faults = Map<string, { times: number; example: string }>;

function ask(place: Place, groups: Groups, faults: Faults): void {
  const fake = fakeOf(place.endpoint);
  if (!fake) {
    faults.set('The endpoint has no strict fake. Add a fake in test/strict/fakes.ts.', {
      times: 1,
      example: place.endpoint.id,
    });
    return;
  }
  for (const one of rowsOf(place, groups)) {
    counts.combinations += 1;
    if (!('message' in one)) {
      counts.refusedAtDoor += 1;
      continue;
    }
    const outcome = askEndpoint(one, place);
    if ('refusedField' in outcome) {
      counts.refusedByName += 1;
      const field = outcome.refusedField.replaceAll(/\d+/g, 'N');
      byField.set(field, (byField.get(field) ?? 0) + 1);
      if (field === '') counts.refusedWithoutName += 1;
      continue;
    }
    counts.sent += 1;
    const refusals = fake.refusals(outcome.sent, place.endpoint.upstreamModel);
    for (const refusal of refusals.filter((said) => !mayBeRefused(one.row, place, said))) {
      const known = faults.get(refusal);
      if (known) known.times += 1;
      else faults.set(refusal, { times: 1, example: `${place.endpoint.id} ${Object.values(one.row).join(' ')}` });
    }
  }
}

describe('every priced endpoint for messages of the shipped catalog', () => {
  const groups = { classes: Map.groupBy(places, classOf), dialects: Map.groupBy(places, dialectOf) };
  const byProvider = Map.groupBy(places, ({ endpoint }) => `${endpoint.provider.id} (${endpoint.wire})`);

  // Most combinations are refused with an error, whose stack no code reads.
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it.each([...byProvider])('at %s gets no request that it refuses', (_, here) => {
    const faults: Faults = new Map();
    for (const place of here) ask(place, groups, faults);
    expect(Object.fromEntries(faults)).toEqual({});
  });

  it.each(['image', 'audio'] as const)('is sent many requests for output of the kind %s', (makes) => {
    const made = places.filter(({ endpoint }) => endpoint.quirks.modalities?.includes(makes));
    const sent = made.map((place) =>
      rowsOf(place, groups).filter((row) => 'message' in row && 'sent' in askEndpoint(row, place)),
    );

    expect(made.length).toBeGreaterThan(0);
    for (const requests of sent) expect(requests.length).toBeGreaterThan(10);
  });

  it('gets many combinations, of which more than a quarter is sent', () => {
    if (isLongForm) console.info(counts);
    expect(counts.combinations).toBeGreaterThan(rows.length);
    expect(counts.sent).toBeGreaterThan(counts.combinations / 4);
    expect(counts.refusedWithoutName).toBe(0);
  });
});
