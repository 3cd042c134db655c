/** Rows in which every pair of features of different kinds occurs at least once. */

import { wishes, type WishKind, type Wishes } from './wishes.ts';

const kinds = Object.keys(wishes) as WishKind[];

/** Returns a function that produces numbers from 0 to below 1; the same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const keyOf = (kind: WishKind, value: string, other: WishKind, otherValue: string) =>
  kinds.indexOf(kind) < kinds.indexOf(other)
    ? `${kind}=${value}&${other}=${otherValue}`
    : `${other}=${otherValue}&${kind}=${value}`;

/**
 * Returns the rows. Each row begins with a missing pair. For each other kind, it gets the value that adds the most
 * missing pairs.
 */
export function pairwiseRows(seed: number): Wishes[] {
  const random = seededRandom(seed);
  const missing = new Set<string>();
  for (const [index, kind] of kinds.entries()) {
    for (const other of kinds.slice(index + 1)) {
      for (const value of wishes[kind]) for (const one of wishes[other]) missing.add(keyOf(kind, value, other, one));
    }
  }
  const rows: Wishes[] = [];
  for (let pair = first(missing); pair !== undefined; pair = first(missing)) {
    const row = new Map<WishKind, string>(pair.split('&').map((half) => half.split('=') as [WishKind, string]));
    const rest = kinds.filter((kind) => !row.has(kind)).toSorted(() => random() - 0.5);
    for (const kind of rest) {
      const values = wishes[kind].map((value) => ({
        value,
        gain: [...row].filter(([other, one]) => missing.has(keyOf(kind, value, other, one))).length + random() / 2,
      }));
      row.set(kind, values.toSorted((one, other) => other.gain - one.gain)[0]!.value);
    }
    for (const [kind, value] of row) for (const [other, one] of row) missing.delete(keyOf(kind, value, other, one));
    rows.push(Object.fromEntries(row) as Wishes);
  }
  return rows;
}

function first(set: ReadonlySet<string>): string | undefined {
  for (const value of set) return value;
  return undefined;
}

/** Features that few endpoints refuse. */
const usual: Wishes = {
  api: 'messages',
  thinking: 'unsaid',
  choice: 'unsaid',
  tool: 'plain',
  sampling: 'unsaid',
  tuning: 'unsaid',
  format: 'unsaid',
  history: 'turns',
  blank: 'no',
  marks: 'no',
  stop: 'unsaid',
  limit: 'usual',
  media: 'no',
  user: 'no',
  surrogate: 'no',
  agent: 'no',
};

/**
 * Returns a row of usual features and a few special ones, because a refusal of one special feature hides the effect of
 * the others.
 */
export function quietRow(random: () => number): Wishes {
  const different = kinds.toSorted(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 2));
  const pick = (kind: WishKind) => wishes[kind][Math.floor(random() * wishes[kind].length)];
  return { ...usual, api: pick('api'), ...Object.fromEntries(different.map((kind) => [kind, pick(kind)])) } as Wishes;
}
