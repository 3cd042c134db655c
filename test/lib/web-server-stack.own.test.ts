import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../lambdas/route.ts';
import { functions, routes } from '../../lambdas/routes.ts';
import { servedNames } from '../../lambdas/server/served-routes.ts';
import { createGatewayApp } from '../../lib/aws/gateway-app.ts';
import { pascalCase } from '../../lib/aws/pascal-case.ts';
import { serverOptions } from '../../lib/shared/server-options.ts';
import { readAssets, readTemplate, readTemplates } from '../../lib/local/sandboxed/templates.ts';
import { writeSmallBundles } from '../templates/synthesize.ts';

interface Statement {
  Sid: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: object;
}

let directory: string;
let outdir: string;
let api: Template;
let violations: unknown[];
let created: ReturnType<typeof createGatewayApp>;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-web-stack-'));
  writeSmallBundles(join(directory, 'bundles'));
  outdir = join(directory, 'cdk.out');
  created = synthesized(outdir, { 'gateway:rateLimit': 1_500 });
  violations = new AwsSolutionsChecks().validateScope(created.app).violations;
  Template.fromStack(created.api);
  const { templateFile, artifactId } = created.api;
  api = Template.fromJSON(readTemplate(join(outdir, templateFile), readAssets(outdir, artifactId)));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function synthesized(to: string, settings: Record<string, unknown>) {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  return createGatewayApp(join(directory, 'bundles'), {
    context: { ...context, 'gateway:streamRuntime': 'web', ...settings },
    outdir: to,
    builtinCloudFormationValidation: false,
  });
}

function statementsOf(rolePrefix: string): Statement[] {
  const [, role] = Object.entries(api.findResources('AWS::IAM::Role')).find(([id]) => id.startsWith(rolePrefix))!;
  const { Policies } = role['Properties'] as { Policies: { PolicyDocument: { Statement: Statement[] } }[] };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

const actionsOf = (statements: Statement[]) => [
  ...new Set(statements.flatMap(({ Action }) => Action).filter((action) => !action.startsWith('logs:'))),
];

const only = (type: string) => {
  const found = Object.values(api.findResources(type)) as { Properties: Record<string, unknown> }[];
  expect(found).toHaveLength(1);
  return found[0]!.Properties;
};

describe('the server as a Web Function', () => {
  it('passes all checks of the stacks', () => {
    expect(violations).toEqual([]);
  });

  it('runs its program on Node 24, many requests at once, each for as long as a function may take', () => {
    expect(only('AWS::Lambda::WebFunctionRevision')).toMatchObject({
      BuildConfig: { RuntimeConfig: { Runtime: 'nodejs24.x' } },
      ServiceConfig: {
        MaxConcurrencyPerEnvironment: 128,
        TimeoutSeconds: 900,
        EnvironmentVariables: { AWS_LAMBDA_NODEJS_ENTRYPOINT: 'index.mjs', NODE_OPTIONS: serverOptions.join(' ') },
      },
    });
  });

  it('has the same options of Node in a container', () => {
    const guide = readFileSync('docs/server.md', 'utf8');
    expect(guide).toContain(
      `CMD ${JSON.stringify(['node', ...serverOptions, '/server/index.mjs']).replaceAll(',', ', ')}`,
    );
  });

  it('is public, because its functions check keys, and has the highest rate limit of AWS up to the API’s', () => {
    expect(only('AWS::Lambda::WebFunctionEndpoint')).toMatchObject({
      AuthType: 'ApplicationManaged',
      ThrottleConfig: { RateLimit: 1_000 },
    });
  });

  it('is referenced by name, because AWS accepts no ARN there', () => {
    const name = only('AWS::Lambda::WebFunction')['FunctionName'];
    expect(JSON.stringify(name)).toContain('model-gateway-prod-');
    for (const part of ['Revision', 'Endpoint']) {
      expect(only(`AWS::Lambda::WebFunction${part}`)['FunctionName']).toEqual(name);
    }
  });

  it('has exactly the permissions of the functions whose routes it serves', () => {
    const routesOf = Object.entries<Route>(routes).filter(([name]) => servedNames.includes(name));
    const theirs = routesOf.flatMap(([name]) => actionsOf(statementsOf(`${pascalCase(name)}Role`)));
    const own = actionsOf(statementsOf('ServerRole'));
    expect(own.toSorted()).toEqual([...new Set(theirs)].toSorted());
    expect(own.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('may write the items of requests, but no key, account or workspace', () => {
    const { Condition } = statementsOf('ServerRole').find(({ Sid }) => Sid === 'TableWrites')!;
    expect(JSON.stringify(Condition)).toContain('"GENERATION#*"');
    expect(JSON.stringify(Condition)).not.toMatch(/"(KEY|ACCOUNT|WORKSPACE|AUDIT|SEALS)#/);
  });

  it('has the variables of each of those functions', () => {
    const { functions: deployed } = readTemplates(outdir);
    const names = servedNames.flatMap((name) => Object.keys(deployed.get(name)!.environment));
    const { EnvironmentVariables: own } = only('AWS::Lambda::WebFunctionRevision')['ServiceConfig'] as {
      EnvironmentVariables: object;
    };
    expect(Object.keys(own)).toEqual(expect.arrayContaining([...new Set(names)]));
    expect(Object.keys(own)).not.toContain('GATEWAY_LOCAL');
  });

  it('leaves the functions and their URL unchanged', () => {
    expect([...readTemplates(outdir).functions.keys()].toSorted()).toEqual(Object.keys(functions).toSorted());
    api.resourceCountIs('AWS::Lambda::Url', 1);
    Template.fromStack(created.api).hasOutput('WebUrl', {});
  });

  it('has no firewall, and is refused together with one', () => {
    const settings = { 'gateway:functionUrl': false, 'gateway:requestsPerKey': 3_000 };
    expect(() => synthesized(join(directory, 'refused'), settings)).toThrow(
      /gateway:requestsPerKey is invalid: requires gateway:streamRuntime to be functions/,
    );
  });
});
