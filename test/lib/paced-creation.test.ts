import { describe, expect, it } from 'vitest';
import { sharedSettings, synthesize } from '../support/synthesized.ts';

/** Needed resources by the id of each resource. */
type Needed = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the resources of these types, and which of them each resource needs directly. */
function neededAmong(types: readonly string[]): Needed {
  const { api } = synthesize(sharedSettings.server);
  const resources = Object.assign({}, ...types.map((type) => api.findResources(type))) as Record<
    string,
    { Properties: object; DependsOn?: string[] }
  >;
  return new Map(
    Object.entries(resources).map(([id, { Properties, DependsOn = [] }]) => {
      const found = JSON.stringify(Properties).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g);
      const names = [...[...found].map(([, name]) => name!), ...[DependsOn].flat()];
      return [id, new Set(names.filter((name) => name !== id && name in resources))];
    }),
  );
}

function reversed(needed: Needed): Needed {
  const ids = [...needed.keys()];
  return new Map(ids.map((id) => [id, new Set(ids.filter((other) => needed.get(other)!.has(id)))]));
}

/** Returns the most resources that are handled in one step, if each is handled as soon as the needed ones are done. */
function mostAtOnce(needed: Needed): number {
  let most = 0;
  const done = new Set<string>();
  while (done.size < needed.size) {
    const ready = [...needed].filter(([id, of]) => !done.has(id) && of.isSubsetOf(done)).map(([id]) => id);
    if (ready.length === 0) throw new Error('The resources depend on each other in a circle');
    for (const id of ready) done.add(id);
    most = Math.max(most, ready.length);
  }
  return most;
}

describe('CloudFormation creates and deletes at the same time', () => {
  it.each([
    ['parts of the API', 5, ['Resource', 'Method', 'GatewayResponse'].map((name) => `AWS::ApiGateway::${name}`)],
    ['functions', 15, ['AWS::Lambda::Function']],
  ])('fewer %s than AWS accepts calls in a second (%i)', (_what, callsPerSecond, types) => {
    const needed = neededAmong(types);

    expect(mostAtOnce(needed)).toBeLessThan(callsPerSecond);
    expect(mostAtOnce(reversed(needed))).toBeLessThan(callsPerSecond);
  });
});
