/**
 * Mutations of JSON as text, such as duplicate members, a member named __proto__, or a number that no float can
 * represent.
 */

import fc, { type Arbitrary } from 'fast-check';

/** An object may have several members with the same name. */
type Node = { kind: 'text'; text: string } | { kind: 'list'; items: Node[] } | { kind: 'object'; members: Member[] };
type Member = [name: string, value: Node];

interface Mutation {
  /** Index of the changed value, modulo the number of values. */
  at: number;
  operation: (typeof operations)[number];
  value: string;
  name: string;
}

const operations = ['replace', 'remove', 'twice', 'insert', 'wrap', 'quote', 'repeat', 'empty'] as const;

const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'type',
  'content',
  'cache_control',
  'source',
  'tool_choice',
  'thinking',
  'metadata',
  'system',
  '',
  '\u0000',
  'a.b[0]',
  'ключ',
];

/** JSON texts that have broken programs before. */
const hostile = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e15',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '0.1000000000000000055',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"💸"',
  '"1"',
  '"null"',
  '"кириллица"',
  '"assistant"',
  '"web_search_20250305"',
  '"https://"',
  '"http://[::"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"":null}',
  '{"__proto__":{"a":1}}',
  '{"toString":0,"valueOf":0}',
  '{"type":"text"}',
  '{"type":"text","text":null}',
  '{"type":"constructor"}',
  '[{"type":"__proto__"}]',
  '[{"type":"toString","text":"x"}]',
  '{"type":"image"}',
  '{"type":"ephemeral"}',
  '{"type":"tool_use","id":"t","name":"n","input":{}}',
  '[{"type":"tool_result","tool_use_id":"t"}]',
  '{"role":"user"}',
  '{"role":"system","content":"x"}',
  JSON.stringify('a'.repeat(3_000)),
  `${'['.repeat(100)}${']'.repeat(100)}`,
  `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
  `[${Array<string>(300).fill('{"type":"text","text":"x"}').join(',')}]`,
  `[${Array<string>(300).fill('1').join(',')}]`,
];

const mutation: Arbitrary<Mutation> = fc.record({
  at: fc.nat(10_000),
  operation: fc.constantFrom(...operations),
  value: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...hostile) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
  ),
  name: fc.constantFrom(...names),
});

export interface SentBody {
  body: string | Buffer;
  contentType: string;
}

export const jsonBody = (body: string): SentBody => ({ body, contentType: 'application/json' });

/** Generates one of the given values, after one to three mutations. */
export function mutated(bases: unknown[]): Arbitrary<string> {
  return fc
    .record({ base: fc.constantFrom(...bases), mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }) })
    .map(({ base, mutations }) => textOf(mutations.reduce(mutate, nodeOf(base))));
}

function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(nodeOf) };
  if (typeof value !== 'object' || value === null) return { kind: 'text', text: JSON.stringify(value) };
  return { kind: 'object', members: Object.entries(value).map(([name, inner]): Member => [name, nodeOf(inner)]) };
}

function textOf(node: Node): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'list':
      return `[${node.items.map(textOf).join(',')}]`;
    case 'object':
      return `{${node.members.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join(',')}}`;
  }
}

/** A value, and a function that replaces it with any number of values. */
interface Place {
  node: Node;
  put: (nodes: Node[]) => void;
}

function placesIn(node: Node): Place[] {
  if (node.kind === 'text') return [];
  const places =
    node.kind === 'list'
      ? node.items.map((item, index): Place => ({ node: item, put: (nodes) => node.items.splice(index, 1, ...nodes) }))
      : node.members.map(([name, value], index): Place => ({
          node: value,
          put: (nodes) => node.members.splice(index, 1, ...nodes.map((inner): Member => [name, inner])),
        }));
  return places.flatMap((place) => [place, ...placesIn(place.node)]);
}

function mutate(root: Node, { at, operation, value, name }: Mutation): Node {
  const places = placesIn(root);
  if (places.length === 0) return root;
  const { node, put } = places[at % places.length]!;
  const other: Node = { kind: 'text', text: value };
  switch (operation) {
    case 'replace':
      put([other]);
      break;
    case 'remove':
      put([]);
      break;
    case 'twice':
      put([node, other]);
      break;
    case 'insert':
      if (node.kind === 'object') node.members.push([name, other]);
      else if (node.kind === 'list') node.items.push(other);
      else put([other, node]);
      break;
    case 'wrap':
      put([at % 2 === 0 ? { kind: 'list', items: [node] } : { kind: 'object', members: [[name, node]] }]);
      break;
    case 'quote':
      put([{ kind: 'text', text: JSON.stringify(textOf(node)) }]);
      break;
    case 'repeat':
      put(Array.from({ length: 40 }, () => node));
      break;
    case 'empty':
      put([{ kind: 'text', text: node.kind === 'list' ? '[]' : node.kind === 'object' ? '{}' : '""' }]);
      break;
  }
  return root;
}
