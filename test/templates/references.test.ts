import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingNames } from '../../lib/aws/config.ts';
import { isLongForm } from '../support/long-runs.ts';
import { eachValueAlone, fewDeployments, otherValues } from './deployments.ts';
import { brokenReferences, readAssembly, type Assembly, type Template } from './references.ts';
import { synthesizeTemplates, writeSmallBundles } from './synthesize.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-templates-'));
  writeSmallBundles(join(directory, 'bundles'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the templates of all settings', () => {
  it('have a sample deployment for each value of each setting', () => {
    expect(Object.keys(otherValues).toSorted()).toEqual(settingNames.toSorted());
    const used = fewDeployments().flatMap(({ settings }) => Object.entries(settings));
    for (const [name, values] of Object.entries<readonly unknown[]>(otherValues)) {
      for (const value of values) expect(used).toContainEqual([name, value]);
    }
  });

  // The CDK's own validation of templates and the AWS Solutions checks throw here as well.
  it.each([...fewDeployments(), ...(isLongForm ? eachValueAlone() : [])])(
    'contain only references to existing resources: $name',
    { timeout: 300_000 },
    ({ name, settings }) => {
      const outdir = join(directory, name);
      synthesizeTemplates(join(directory, 'bundles'), settings, outdir);
      const assembly = readAssembly(outdir);

      expect(Object.keys(assembly.stacks)).toHaveLength(3);
      expect(Object.keys(assembly.nested)).toHaveLength(settings.streamRuntime === 'web' ? 4 : 3);
      expect(brokenReferences(assembly)).toEqual([]);
    },
  );
});

const topic = { Type: 'AWS::SNS::Topic' };
const using = (value: unknown, rest: Partial<Template> = {}): Assembly => ({
  stacks: {
    one: { Resources: { Topic: topic, User: { Type: 'AWS::SNS::Subscription', Properties: { value } } }, ...rest },
    two: { Resources: { Other: topic }, Outputs: { Arn: { Value: 'arn', Export: { Name: 'two-arn' } } } },
  },
  nested: {},
});

describe('a reference in a template', () => {
  const conditions = { Conditions: { IsProduction: {} } };
  const map = { Mappings: { Regions: { 'us-east-1': { zone: 'a' } } } };
  it.each<[good: unknown, broken: unknown, rest?: Partial<Template>]>([
    [{ Ref: 'Topic' }, { Ref: 'Other' }],
    [{ Ref: 'AWS::Region' }, { Ref: 'AWS::Planet' }],
    [{ 'Fn::GetAtt': ['Topic', 'Arn'] }, { 'Fn::GetAtt': ['Other', 'Arn'] }],
    [{ 'Fn::GetAtt': 'Topic.Arn' }, { 'Fn::GetAtt': 'Other.Arn' }],
    [{ 'Fn::Sub': '${Topic}, ${Topic.Arn}, ${!Other}' }, { 'Fn::Sub': 'a ${Other.Arn}' }],
    [{ 'Fn::Sub': ['${own}', { own: { Ref: 'Topic' } }] }, { 'Fn::Sub': ['${own}', { own: { Ref: 'Other' } }] }],
    [{ 'Fn::If': ['IsProduction', 1, 2] }, { 'Fn::If': ['IsTest', 1, 2] }, conditions],
    [{ 'Fn::FindInMap': ['Regions', 'us-east-1', 'zone'] }, { 'Fn::FindInMap': ['Regions', 'eu', 'zone'] }, map],
    [{ 'Fn::ImportValue': 'two-arn' }, { 'Fn::ImportValue': 'three-arn' }],
    [
      { 'Fn::GetStackOutput': { StackName: 'two', OutputName: 'Arn' } },
      { 'Fn::GetStackOutput': { StackName: 'two', OutputName: 'Name' } },
    ],
  ])('is recognized as resolved (%j) or unresolved (%j)', (good, broken, rest) => {
    expect(brokenReferences(using(good, rest))).toEqual([]);
    expect(brokenReferences(using(broken, rest))).toEqual([expect.stringContaining('one: User.Properties.value')]);
  });

  it('may be in a dependency, an output or a condition of a resource', () => {
    const template = {
      Resources: { Topic: { ...topic, DependsOn: ['Gone'], Condition: 'IsTest' } },
      Outputs: { Name: { Value: { Ref: 'Lost' } } },
    };
    expect(brokenReferences({ stacks: { one: template }, nested: {} })).toEqual([
      'one: Topic.DependsOn names Gone',
      'one: Topic names IsTest',
      'one: Outputs.Name.Value names Lost',
    ]);
  });

  it('to a nested stack is checked in both directions: its parameters, and its outputs', () => {
    const Nested = {
      Type: 'AWS::CloudFormation::Stack',
      Properties: { Parameters: { surplus: 1 } },
      Metadata: { 'aws:asset:path': 'inner.template.json' },
    };
    const outer = {
      Resources: { Nested, User: { ...topic, Properties: { 'Fn::GetAtt': ['Nested', 'Outputs.Arn'] } } },
    };
    const inner = { Resources: { Topic: topic }, Parameters: { missing: {} }, Outputs: {} };
    expect(brokenReferences({ stacks: { outer }, nested: { 'inner.template.json': inner } })).toEqual([
      'outer: Nested.Parameters names surplus',
      'outer: Nested names no value for missing',
      'outer: User.Properties names ["Nested","Outputs.Arn"]',
    ]);
  });
});
