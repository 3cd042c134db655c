/** Models are shown as available exactly if a route can call them. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../lambdas/catalog/catalog.ts';
import { modalities, type Modality } from '../../lambdas/catalog/modality.ts';
import { factsOf, wires, type Wire } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { jobWire } from '../../lambdas/providers/job-wires.ts';
import { isCalled } from '../../lambdas/routing/live-providers.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

/** Kind of request: the output of its models, and the wires that it can use. */
interface Kind {
  makes: Modality;
  answers: string;
  hasWire: (wire: Wire) => boolean;
}

const declarations = 'lambdas/inference/modalities';

function isDeclaration(value: unknown): value is { makes: Modality; apiType: string; engines: object } {
  return typeof value === 'object' && value !== null && 'makes' in value && 'apiType' in value && 'engines' in value;
}

/** Returns all kinds of requests, including the kind of each declared modality. */
async function allKinds(): Promise<Kind[]> {
  const files = readdirSync(declarations).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.map((name) => import(resolve(join(declarations, name))) as Promise<Record<string, unknown>>),
  );
  const declared = modules.flatMap((each) => Object.values(each)).filter(isDeclaration);
  return [
    { makes: 'text', answers: 'completions', hasWire: (wire) => messagesWire(wire) !== undefined },
    { makes: 'video', answers: 'video', hasWire: (wire) => jobWire(wire) !== undefined },
    ...declared.map(({ makes, apiType, engines }) => {
      return { makes, answers: apiType, hasWire: (wire: Wire) => Object.hasOwn(engines, wire) };
    }),
  ];
}

const { models } = loadShippedCatalog();
let kinds: Kind[];
beforeAll(async () => {
  kinds = await allKinds();
});

const places = models.flatMap(({ id, data, endpoints }) =>
  endpoints.map((endpoint) => ({ id, makes: data.output_modalities, endpoint })),
);
const callers = (makes: readonly Modality[], { wire }: Endpoint) =>
  kinds.filter((kind) => makes.includes(kind.makes) && kind.hasWire(wire));
const outputsOf = (wire: Wire) => new Set(kinds.filter(({ hasWire }) => hasWire(wire)).map(({ makes }) => makes)).size;

describe('an endpoint of the catalog', () => {
  it('is available exactly if a kind of request that makes its output has its wire', () => {
    const wrong = places.filter(
      ({ makes, endpoint }) => isCalled(endpoint.wire) !== callers(makes, endpoint).length > 0,
    );
    expect(wrong.map(({ id, endpoint }) => `${id} over ${endpoint.wire}`)).toEqual([]);
  });

  it('has records of the kind that its wire names', () => {
    const wrong = places.filter(({ makes, endpoint }) =>
      callers(makes, endpoint).some(({ answers }) => answers !== factsOf(endpoint.wire).answers),
    );
    expect(wrong.map(({ id, endpoint }) => `${id} over ${endpoint.wire}`)).toEqual([]);
  });
});

describe('a wire', () => {
  it('belongs to exactly one kind of output if a request can use it', () => {
    const wrong = wires.filter((wire) => outputsOf(wire) !== (isCalled(wire) ? 1 : 0));
    expect(wrong).toEqual([]);
  });
});

describe('a kind of output', () => {
  it('is known to the filter of models if a model has it', () => {
    const used = new Set(models.flatMap(({ data }) => data.output_modalities));
    expect([...used].filter((makes) => !modalities.includes(makes))).toEqual([]);
  });
});
