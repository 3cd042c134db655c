/**
 * Tests every endpoint of the shipped catalog with requests that clients may send. The gateway must express each
 * feature as the provider accepts it, or refuse it by name. No request may reach a provider that refuses it.
 */

import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
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
 * Returns a key of endpoints that differ only in their names. Such endpoints share the rows, and each gets a part of
 * them.
 */
function classOf({ model, endpoint }: Place): string {
  const { wire, provider, quirks, supportedParameters, inputModalities, maxOutputTokens } = endpoint;
  const defaults = model.data.default_parameters;
  return JSON.stringify([wire, provider.id, quirks, supportedParameters, inputModalities, maxOutputTokens, defaults]);
}

/** Number of rows with few features, for each class of endpoints; in the long form for each endpoint. */
const QUIET_ROWS = isLongForm ? 1_500 : 100;

const random = seededRandom(runSeed);
const wished = [...pairwiseRows(runSeed), ...Array.from({ length: QUIET_ROWS }, () => quietRow(random))];
const rows: ReadWishes[] = wished.map((row) => readWishes(row));
/** Rows of requests for images or speech, which other endpoints refuse. Models that draw do little else. */
const plain = { choice: 'no_tools', format: 'unsaid', tuning: 'seed', stop: 'one' } as const;
const mediaRowsOf = (makes: MediaModality) =>
  wished.map((row, index) => readWishes({ ...row, api: 'chat', ...(index % 2 === 0 ? plain : {}) }, makes));
const mediaRows = { image: mediaRowsOf('image'), audio: mediaRowsOf('audio') };

function rowsOf(place: Place, classes: ReadonlyMap<string, Place[]>): ReadWishes[] {
  const [makes] = place.endpoint.quirks.modalities ?? [];
  if (makes) return mediaRows[makes];
  if (isLongForm) return rows;
  const alike = classes.get(classOf(place))!;
  const turn = alike.indexOf(place);
  return rows.filter((_, index) => index % alike.length === turn);
}

/**
 * Whether a provider's refusal is allowed. Texts of clients of the Messages API are sent to Anthropic's models
 * unchanged, because a blank text may be signed together with the thinking after it.
 */
function mayBeRefused(row: Wishes, { endpoint }: Place, refusal: string): boolean {
  return row.api === 'messages' && endpoint.wire === 'anthropic' && refusal.includes('non-whitespace text');
}

const byField = new Map<string, number>();
const counts = {
  places: places.length,
  rows: rows.length,
  combinations: 0,
  sent: 0,
  refusedAtDoor: 0,
  refusedByName: 0,
};

/** Refusals, each with its number and one example. */
type Faults = Map<string, { times: number; example: string }>;

function ask(place: Place, classes: ReadonlyMap<string, Place[]>, faults: Faults): void {
  const fake = fakeOf(place.endpoint);
  if (!fake) {
    faults.set('no strict fake stands for it: test/strict/fakes.ts names one', {
      times: 1,
      example: place.endpoint.id,
    });
    return;
  }
  for (const one of rowsOf(place, classes)) {
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
      expect(field).not.toBe('');
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

describe('every endpoint of the shipped catalog', () => {
  const classes = Map.groupBy(places, classOf);
  const byProvider = Map.groupBy(places, ({ endpoint }) => `${endpoint.provider.id} (${endpoint.wire})`);

  it.each([...byProvider])('at %s gets no request that it refuses', (_, here) => {
    const faults: Faults = new Map();
    for (const place of here) ask(place, classes, faults);
    expect(Object.fromEntries(faults)).toEqual({});
  });

  it.each(['image', 'audio'] as const)('is sent many requests for output of the kind %s', (makes) => {
    const made = places.filter(({ endpoint }) => endpoint.quirks.modalities?.includes(makes));
    const sent = made.map((place) =>
      mediaRows[makes].filter((row) => 'message' in row && 'sent' in askEndpoint(row, place)),
    );

    expect(made.length).toBeGreaterThan(0);
    for (const requests of sent) expect(requests.length).toBeGreaterThan(10);
  });

  it('gets a great many combinations', () => {
    expect(counts.combinations).toBeGreaterThan(rows.length);
    expect(counts.sent).toBeGreaterThan(counts.combinations / 4);
  });
});
