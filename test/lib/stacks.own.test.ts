import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  writingActions,
  type FunctionSpec,
  type QueueName,
  type Route,
  type ScheduledWorker,
} from '../../lambdas/route.ts';
import { once } from '../../lambdas/platform/concurrency/once.ts';
import { functions, queueWorkers, routes, scheduledWorkers } from '../../lambdas/routes.ts';
import { deadLettersVariable, queueVariable } from '../../lambdas/platform/environment.ts';
import { operatorActions } from '../../lib/aws/data-stack.ts';
import { createGatewayApp } from '../../lib/aws/gateway-app.ts';
import { pascalCase } from '../../lib/aws/pascal-case.ts';
import { RUNS_AT_ONCE } from '../../lib/aws/reserved-concurrency.ts';
import { entriesIn } from '../support/long-runs.ts';
import { decide, type Statement } from '../support/policy.ts';
import { readAssets, readTemplate, readTemplates, type Deployment } from '../../lib/local/sandboxed/templates.ts';
import { manifestWiring, type WiredQueue } from '../../lib/local/wiring.ts';
import { tableDefinition } from '../../lib/shared/table-definition.ts';
import { writeSmallBundles } from '../templates/synthesize.ts';

/** Resources that must outlive a deployment, and outputs that other stacks or people may read. */
interface ReleasedStack {
  resources: Record<string, string>;
  outputs: string[];
}

interface LastRelease {
  data: ReleasedStack & { table: { keys: object[]; ttl: object; indexes: Record<string, unknown>[] } };
  api: ReleasedStack;
}

const lastRelease = JSON.parse(readFileSync('test/fixtures/release-0.2.0/stacks.json', 'utf8')) as LastRelease;

interface TableStatement {
  Sid: string;
  Action: string | string[];
  Condition?: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': string[] }; Null: object };
}

let directory: string;
let api: Template;
let data: Template;
let deployment: Deployment;
let violations: unknown[];
let created: ReturnType<typeof deploymentWith>;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-stacks-'));
  writeSmallBundles(join(directory, 'bundles'));
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const outdir = join(directory, 'cdk.out');
  const made = createGatewayApp(join(directory, 'bundles'), {
    context,
    outdir,
    builtinCloudFormationValidation: false,
  });
  created = { ...made, outdir };
  violations = new AwsSolutionsChecks().validateScope(created.app).violations;
  api = wholeTemplate(created.api);
  data = Template.fromStack(created.data);
  deployment = readTemplates(outdir);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the template of a stack, including the resources of nested stacks. */
function wholeTemplate(stack: Stack): Template {
  Template.fromStack(stack);
  const { outdir } = App.of(stack) as App;
  return Template.fromJSON(readTemplate(join(outdir, stack.templateFile), readAssets(outdir, stack.artifactId)));
}

function deploymentWith(settings: Record<string, unknown>) {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
  const outdir = mkdtempSync(join(directory, 'cdk.out.'));
  const created = createGatewayApp(join(directory, 'bundles'), {
    context: { ...context, ...settings },
    outdir,
    builtinCloudFormationValidation: false,
  });
  return { ...created, outdir };
}

const reservedIn = (stack: Template) =>
  Object.values(stack.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties: of }) => (of as { ReservedConcurrentExecutions?: number }).ReservedConcurrentExecutions ?? [],
  );

const statementsOf = ({
  PolicyDocument,
  Policies = [],
}: {
  PolicyDocument?: { Statement: Statement[] };
  Policies?: { PolicyDocument: { Statement: Statement[] } }[];
}): Statement[] =>
  [PolicyDocument ?? [], Policies.map(({ PolicyDocument: inline }) => inline)]
    .flat(2)
    .flatMap(({ Statement }) => Statement);

const resourcesOf = (statements: Statement[], action: string) =>
  statements.flatMap(({ Action, Resource }) => ([Action].flat().includes(action) ? [Resource].flat() : []));

const isNamed = (caller: object, id: string) => JSON.stringify(caller).includes(`"${id}"`);

const idsIn = (stack: Template, types: string[]) => types.flatMap((type) => Object.keys(stack.findResources(type)));

/** Deployment with several other settings: each deployment takes a second. */
const otherDeployment = once(() =>
  deploymentWith({
    'gateway:concurrency': 1_000,
    'gateway:terminationProtection': false,
    'gateway:canaryMinutes': 0,
    'gateway:domain': 'api.example.org',
    'gateway:certificateArn': 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b-3c',
    'gateway:functionUrl': false,
    'gateway:requestsPerKey': 3_000,
    'gateway:tags': { team: 'platform' },
    'gateway:tableName': 'restored-2026-11-23',
  }),
);

/** Returns the roles of a deployment with other settings, by id. */
function rolesWith(settings: Record<string, string>): [id: string, role: object][] {
  const created = deploymentWith(settings);
  return Object.entries(wholeTemplate(created.api).findResources('AWS::IAM::Role'));
}

const sorted = <T>(list: T[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

const queueNames = Object.keys(queueWorkers) as QueueName[];

const gradual = Object.keys(functions).filter((name) => functions[name]!.changesGradually);

const patienceOf = ({ visibilityTimeoutSeconds, maxReceiveCount }: Omit<WiredQueue, 'deadLetters'>) => ({
  visibilityTimeoutSeconds,
  maxReceiveCount,
});

const withWrites = (credential: string) =>
  Object.entries<Route>(routes).filter(
    ([, { credential: own, grants }]) => own === credential && grants.table?.some((a) => writingActions.includes(a)),
  );

const protectedNow = ({ api: apiStack, data: dataStack }: ReturnType<typeof deploymentWith>) => [
  apiStack.terminationProtection,
  dataStack.terminationProtection,
];

describe('the synthesized template', () => {
  it('has exactly the routes of the manifest, each to its own function', () => {
    // Only the server takes larger forms, on routes that take files.
    const manifest = manifestWiring().routes.map((route) => ({ ...route, takesFiles: undefined }));
    expect(sorted(deployment.wiring.routes)).toEqual(sorted(manifest));
  });

  it('lets API Gateway wait for each function as long as the manifest states', () => {
    expect(deployment.wiring.integrationSeconds).toEqual(manifestWiring().integrationSeconds);
  });

  it('answers other methods and other paths with their own functions', () => {
    const methods = Object.values(api.findResources('AWS::ApiGateway::Method')) as {
      Properties: { HttpMethod: string; ResourceId: unknown; Integration: { Uri: unknown } };
    }[];
    const any = methods.filter(({ Properties }) => Properties.HttpMethod === 'ANY').map(({ Properties }) => Properties);
    const resources = api.findResources('AWS::ApiGateway::Resource');
    const root = any.filter(({ ResourceId }) => (ResourceId as { 'Fn::GetAtt'?: unknown })['Fn::GetAtt'] !== undefined);
    expect(root).toHaveLength(1);
    expect(any.flatMap(({ ResourceId }) => (ResourceId as { Ref?: string }).Ref ?? []).toSorted()).toEqual(
      Object.keys(resources).toSorted(),
    );
    expect(Object.values(resources)).toContainEqual(
      expect.objectContaining({ Properties: expect.objectContaining({ PathPart: '{path+}' }) as unknown }),
    );
    expect(new Set(any.map(({ Integration }) => JSON.stringify(Integration.Uri))).size).toBe(1);
    expect(deployment.wiring.unknownRoute).toBe('unknown-route');
  });

  it('lets API Gateway call each function on its paths, with wildcards in place of parameters', () => {
    const permissions = JSON.stringify(api.findResources('AWS::Lambda::Permission'));
    for (const { method, paths } of Object.values<Route>(routes)) {
      for (const path of paths) expect(permissions).toContain(`/v1/${method}${path.replaceAll(/\{\w+\+?\}/g, '*')}"`);
    }
    expect(permissions).not.toMatch(/\{\w+\+?\}/);
  });

  it('has the queue workers and schedules of the manifest', () => {
    const sources = deployment.wiring.queueSources.map(({ functionName, batchSize, maxConcurrency }) => ({
      functionName,
      batchSize,
      maxConcurrency,
    }));
    expect(sources).toEqual(
      Object.entries(queueWorkers).map(([functionName, { batchSize, maxConcurrency }]) => ({
        functionName,
        batchSize,
        maxConcurrency,
      })),
    );
    expect(deployment.wiring.schedules).toEqual(
      Object.entries(scheduledWorkers).map(([functionName, { everyMinutes }]) => ({ functionName, everyMinutes })),
    );
    const expected = Object.values(manifestWiring().queues).map(patienceOf);
    expect(Object.values(deployment.wiring.queues).map(patienceOf)).toEqual(expected);
  });

  it('gives the streaming route a function URL that streams', () => {
    expect(deployment.wiring.functionUrl).toBe('create-message');
    api.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
  });

  it.each(Object.entries<FunctionSpec>(functions))('gives %s its time, its memory and its variables', (name, spec) => {
    const deployed = deployment.functions.get(name)!;
    expect(deployed).toMatchObject({ timeoutSeconds: spec.timeoutSeconds, memoryMb: spec.memoryMb });
    expect(deployed.environment).not.toHaveProperty('NODE_OPTIONS');
    expect('TABLE_NAME' in deployed.environment).toBe(spec.grants.table !== undefined);
    expect('PEPPER_SECRET_ARN' in deployed.environment).toBe(spec.grants.secrets?.includes('pepper') ?? false);
    const { sendTo = [], watch = [] } = spec.grants;
    for (const queue of queueNames) {
      const isKnown = [...sendTo, ...watch, name].includes(queue);
      expect([queue, queueVariable(queue) in deployed.environment]).toEqual([queue, isKnown]);
      expect([queue, deadLettersVariable(queue) in deployed.environment]).toEqual([queue, watch.includes(queue)]);
    }
  });

  it.each(entriesIn([false, 'false'], { ofWhichAlways: 1 }))(
    'has no function URL if the operator disables it (%j)',
    (functionUrl) => {
      const { api: stack, outdir } = deploymentWith({ 'gateway:functionUrl': functionUrl });
      const template = wholeTemplate(stack);
      template.resourceCountIs('AWS::Lambda::Url', 0);
      expect(Object.keys(template.findOutputs('*'))).not.toContain('StreamingUrl');
      expect(JSON.stringify(template.findResources('AWS::Lambda::Permission'))).not.toContain('InvokeFunctionUrl');
      expect(readTemplates(outdir).wiring.functionUrl).toBeUndefined();
    },
  );

  const origins: [string, string | undefined][] = [
    ['*', "'*'"],
    ['https://app.example.org', "'https://app.example.org'"],
    ['https://app.example.org, https://b.example.org', undefined],
  ];
  it.each(entriesIn(origins, { ofWhichAlways: 1 }))(
    'lets pages of %s call its functions, and read API Gateway’s refusals unless there are two origins',
    (corsOrigins, header) => {
      const { api: stack } = deploymentWith({ 'gateway:corsOrigins': corsOrigins });
      const template = wholeTemplate(stack);
      template.allResourcesProperties('AWS::Lambda::Function', {
        Environment: { Variables: Match.objectLike({ CORS_ORIGINS: corsOrigins }) },
      });
      template.allResourcesProperties('AWS::ApiGateway::GatewayResponse', {
        ResponseParameters: Match.objectLike({
          'gatewayresponse.header.access-control-allow-origin': header ?? Match.absent(),
        }),
      });
      // Browsers send the origin `null` after the redirect from the gateway to the file of a video.
      template.hasResourceProperties('AWS::S3::Bucket', {
        CorsConfiguration: { CorsRules: [Match.objectLike({ AllowedOrigins: ['*'], AllowedMethods: ['GET'] })] },
      });
    },
  );

  it('lets no pages read its buckets without allowed origins', () => {
    api.allResourcesProperties('AWS::S3::Bucket', { CorsConfiguration: Match.absent() });
  });

  it('runs every function on Node 24, on arm64, with a role and logs of its own', () => {
    const count = Object.keys(functions).length;
    api.allResourcesProperties('AWS::Lambda::Function', { Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    api.resourceCountIs('AWS::Lambda::Function', count);
    api.resourceCountIs('AWS::Logs::LogGroup', count);
    api.resourceCountIs('AWS::IAM::Policy', 0);
    const managed = Object.entries(api.findResources('AWS::IAM::Role')).filter(
      ([, { Properties: role }]) => (role as { ManagedPolicyArns?: unknown }).ManagedPolicyArns !== undefined,
    );
    // Only the role of CodeDeploy has a managed policy. No function uses this role.
    expect(managed.map(([id]) => id)).toEqual([expect.stringMatching(/^ChangesRole/)]);
  });

  it('gives the function that seals days a disk for the files of a large day', () => {
    const disks = Object.values(api.findResources('AWS::Lambda::Function')).flatMap(({ Properties: of }) => {
      const { Description, EphemeralStorage: disk } = of as {
        Description: string;
        EphemeralStorage?: { Size: number };
      };
      return disk ? [[Description, disk.Size]] : [];
    });
    expect(disks).toEqual([['model gateway: seal-days', 4_096]]);
  });

  it('gives new code of functions that spend or settle money a tenth of the requests first', () => {
    const spending = Object.entries(functions).filter(([, { grants }]) => grants.sendTo?.includes('finalize-cost'));
    expect(gradual).toEqual(expect.arrayContaining(spending.map(([name]) => name)));
    expect(gradual.filter((name) => !spending.some(([other]) => name === other))).toEqual(['finalize-cost']);
  });

  it.each(gradual)('gives the new code of %s a tenth of the requests first, and rolls it back on an alarm', (name) => {
    const [[aliasId, alias]] = Object.entries(api.findResources('AWS::Lambda::Alias')).filter(([id]) =>
      id.startsWith(`${pascalCase(name)}Live`),
    ) as [[string, { UpdatePolicy: object }]];
    const group = Object.entries(api.findResources('AWS::CodeDeploy::DeploymentGroup')).find(([id]) =>
      id.startsWith(`${pascalCase(name)}Change`),
    )!;

    expect(alias.UpdatePolicy).toMatchObject({
      CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: group[0] } },
    });
    expect(group[1]['Properties']).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
    });
    const { Alarms } = (group[1]['Properties'] as { AlarmConfiguration: { Alarms: { Name: { Ref: string } }[] } })
      .AlarmConfiguration;
    const words = Alarms.map(
      ({ Name }) =>
        (api.findResources('AWS::CloudWatch::Alarm')[Name.Ref] as { Properties: { AlarmDescription: string } })
          .Properties.AlarmDescription,
    );
    expect(words.slice(0, 2)).toEqual([
      expect.stringContaining(`${name} fails before it can answer`),
      expect.stringContaining('faults of the gateway itself'),
    ]);
    const ofQueue = name in queueWorkers ? ['are in the dead letters', 'waiting for minutes'] : [];
    const ofSettlements = name === 'finalize-cost' ? ['Settlements fail'] : [];
    expect(words.slice(2)).toEqual(
      [...ofQueue, ...ofSettlements].map((text) => expect.stringContaining(text) as string),
    );
    // All callers use the alias.
    const callers = ['AWS::ApiGateway::Method', 'AWS::Lambda::Url', 'AWS::Lambda::EventSourceMapping']
      .flatMap((type) => Object.values(api.findResources(type)))
      .map(({ Properties }) => Properties as { Qualifier?: string });
    const [[functionId]] = Object.entries(api.findResources('AWS::Lambda::Function')).filter(([id]) =>
      id.startsWith(`${pascalCase(name)}Function`),
    ) as [[string, unknown]];
    const { paths = ['its queue'] } = functions[name] as Partial<Route>;
    expect(callers.filter((caller) => isNamed(caller, aliasId))).toHaveLength(paths.length);
    expect(callers.filter((caller) => isNamed(caller, functionId) && caller.Qualifier !== 'live').map(String)).toEqual(
      [],
    );
  });

  it('gives new code all requests at once, if configured', () => {
    const stack = wholeTemplate(otherDeployment().api);
    stack.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    stack.resourceCountIs('AWS::Lambda::Alias', gradual.length);
  });

  it('keeps earlier versions of functions that handle money, but not the version of a deployment that failed', () => {
    const versions = Object.values(api.findResources('AWS::Lambda::Version')) as { DeletionPolicy: string }[];
    expect(versions.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(gradual.map(() => 'RetainExceptOnCreate'));
  });

  it('answers at the configured domain name, below the path that clients use', () => {
    api.resourceCountIs('AWS::ApiGateway::DomainName', 0);
    const named = wholeTemplate(otherDeployment().api);
    named.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'api.example.org',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    });
    named.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' });
    named.hasOutput('DomainTarget', {});
  });

  it('limits the rate of each key before a function runs, if configured', () => {
    api.resourceCountIs('AWS::WAFv2::WebACL', 0);
    const guarded = wholeTemplate(otherDeployment().api);
    const [{ Properties: firewall }] = Object.values(guarded.findResources('AWS::WAFv2::WebACL')) as [
      { Properties: { Rules: object[]; CustomResponseBodies: Record<string, { Content: string }> } },
    ];
    expect(firewall.Rules).toMatchObject(
      ['authorization', 'x-api-key', 'xi-api-key'].map((Name) => ({
        Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
        Statement: { RateBasedStatement: { Limit: 3_000, CustomKeys: [{ Header: { Name } }] } },
        VisibilityConfig: { SampledRequestsEnabled: false },
      })),
    );
    expect(JSON.parse(Object.values(firewall.CustomResponseBodies)[0]!.Content)).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', code: 429 },
    });
    guarded.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
  });

  it('has templates that stay below 500 resources, the maximum of AWS, with thirteen more routes', () => {
    const files = readdirSync(join(directory, 'cdk.out')).filter((name) => name.endsWith('template.json'));
    expect(files).toHaveLength(6);
    for (const name of files) {
      const { Resources } = JSON.parse(readFileSync(join(directory, 'cdk.out', name), 'utf8')) as { Resources: object };
      // A route needs three resources of the API's template (method, path, refusal of other methods), and four of the
      // template of functions (function, role, log, permission).
      const ofRoute = name.includes('Routes') ? 4 : 3;
      expect(Object.keys(Resources).length).toBeLessThanOrEqual(500 - 13 * ofRoute);
    }
  });

  it.each(Object.entries<FunctionSpec>(functions))(
    'gives %s only the rights to the table that the manifest states',
    (name, spec) => {
      const roles = Object.entries(api.findResources('AWS::IAM::Role'));
      const prefix = name.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
      const [, role] = roles.find(([id]) => id.startsWith(`${prefix}Role`))!;
      const { Policies } = role['Properties'] as {
        Policies: { PolicyDocument: { Statement: { Action: unknown }[] } }[];
      };
      const actions = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).flatMap(
        ({ Action }) => Action,
      );
      const onTable = actions.filter((action) => String(action).startsWith('dynamodb:'));
      const granted = [
        ...(spec.grants.table ?? []),
        ...(spec.grants.exports ? ['DescribeExport', 'ExportTableToPointInTime'] : []),
      ];
      expect(sorted(onTable)).toEqual(sorted(granted.map((action) => `dynamodb:${action}`)));
      expect(actions.some((action) => String(action).includes('*'))).toBe(false);
    },
  );

  it('keeps videos in a bucket of its own: private, encrypted, for a week', () => {
    const rules = [
      Match.objectLike({ Prefix: 'videos/', ExpirationInDays: 7 }),
      Match.objectLike({ Prefix: 'video-requests/', ExpirationInDays: 1 }),
      Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }),
    ];
    const nobody = {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    };
    api.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: nobody,
      BucketEncryption: Match.anyValue(),
      LifecycleConfiguration: { Rules: rules },
    });
    api.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      }),
    });
  });

  it.each(Object.entries<FunctionSpec>(functions))('gives %s only the manifest’s rights to files', (name, spec) => {
    const roles = Object.entries(api.findResources('AWS::IAM::Role'));
    const [, role] = roles.find(([id]) => id.startsWith(`${pascalCase(name)}Role`))!;
    const { Policies } = role['Properties'] as {
      Policies: { PolicyDocument: { Statement: { Sid: string; Action: string | string[]; Resource: object }[] } }[];
    };
    const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const isElsewhere = ({ Sid }: { Sid: string }) =>
      Sid === 'ObjectsThere' ||
      (spec.grants.exports === true && Sid === 'Books') ||
      (spec.grants.seals === true && ['Seals', 'SealsThere'].includes(Sid)) ||
      (spec.grants.catalog === true && ['Catalog', 'CatalogThere'].includes(Sid));
    const onFiles = statements
      .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('s3:')))
      .filter((statement) => !isElsewhere(statement));
    const rights = onFiles.map(({ Sid, Action, Resource }) => [
      Sid,
      [Action].flat().toSorted(),
      /\/[a-z-]+\/\*/.exec(JSON.stringify(Resource))![0],
    ]);
    expect(rights).toEqual(
      Object.entries(spec.grants.objects ?? {}).map(([folder, actions]) => [
        `Objects${pascalCase(folder)}`,
        actions.map((action) => `s3:${action}`).toSorted(),
        `/${folder}/*`,
      ]),
    );
  });

  it('gives every queue dead letters and an alarm', () => {
    api.resourceCountIs('AWS::SQS::Queue', 2 * queueNames.length);
    for (const name of ['DeadLettersAlarm', 'AgeAlarm']) {
      const alarms = Object.keys(api.findResources('AWS::CloudWatch::Alarm')).filter((id) => id.includes(name));
      expect(alarms).toHaveLength(queueNames.length);
    }
  });

  it('keeps every queue when its stack is deleted, because messages represent money', () => {
    api.allResources('AWS::SQS::Queue', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('has termination protection if configured', () => {
    expect(protectedNow(created)).toEqual([true, true]);
    expect(protectedNow(otherDeployment())).toEqual([false, false]);
  });

  it('has no metrics per method, which cost money', () => {
    api.hasResourceProperties('AWS::ApiGateway::Stage', {
      MethodSettings: [Match.objectLike({ HttpMethod: '*', ResourcePath: '/*', MetricsEnabled: false })],
    });
  });

  it('keeps dead letters for longer than messages, and hides a batch for at least six timeouts of its worker', () => {
    const all = Object.values(api.findResources('AWS::SQS::Queue')) as {
      Properties: { RedrivePolicy?: unknown; MessageRetentionPeriod: number };
    }[];
    const retention = (isDead: boolean) =>
      all
        .filter(({ Properties }) => (Properties.RedrivePolicy === undefined) === isDead)
        .map(({ Properties }) => Properties.MessageRetentionPeriod);
    expect(Math.min(...retention(true))).toBeGreaterThan(Math.max(...retention(false)));
    for (const { queue, functionName } of deployment.wiring.queueSources) {
      const { timeoutSeconds } = deployment.functions.get(functionName)!;
      expect(deployment.wiring.queues[queue]!.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
    }
  });

  it('runs each scheduled worker once per interval, with an alarm if it does not run', () => {
    const count = Object.keys(scheduledWorkers).length;
    api.resourceCountIs('AWS::Lambda::EventInvokeConfig', count);
    api.allResourcesProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    const silent = Object.values(
      api.findResources('AWS::CloudWatch::Alarm', {
        Properties: {
          MetricName: 'Invocations',
          // If missing data raised an alarm, the first deployment would raise all of these alarms.
          TreatMissingData: 'missing',
          InsufficientDataActions: Match.anyValue(),
        },
      }),
    );
    expect(silent).toHaveLength(count);
  });

  it('lets the sweep see both queues of settlements, and nothing of their messages', () => {
    const roles = Object.entries(api.findResources('AWS::IAM::Role'));
    const [, role] = roles.find(([id]) => id.startsWith('SweepHoldsRole'))!;
    const statements = (
      role['Properties'] as {
        Policies: { PolicyDocument: { Statement: { Sid: string; Action: unknown; Resource: unknown[] }[] } }[];
      }
    ).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const watch = statements.find(({ Sid }) => Sid === 'WatchQueues')!;
    expect(watch.Action).toBe('sqs:GetQueueAttributes');
    expect(watch.Resource).toHaveLength(2);
  });

  it.each<[string, string[], string[], object?]>([
    ['get-model', ['Query'], ['HEALTH#', 'FREE#BUDGET#']],
    ['list-models', ['Query'], ['HEALTH#', 'FREE#BUDGET#']],
    ['list-images-models', ['Query'], ['HEALTH#', 'FREE#BUDGET#']],
    ['list-videos-models', ['Query'], ['HEALTH#', 'FREE#BUDGET#']],
    ['list-embeddings-models', ['Query'], ['HEALTH#', 'FREE#BUDGET#']],
    // This worker publishes which providers have a credential, so that functions that list models need no access to
    // credentials.
    ['measure-endpoints', ['Query', 'PutItem'], ['HEALTH#'], { secrets: ['provider-keys'] }],
  ])('lets %s do %j on partitions %j, and nothing else of the table', (name, actions, partitions, more = {}) => {
    const roles = Object.entries(api.findResources('AWS::IAM::Role'));
    const [, role] = roles.find(([id]) => id.startsWith(`${pascalCase(name)}Role`))!;
    const { Policies } = role['Properties'] as {
      Policies: { PolicyDocument: { Statement: { Sid: string; Condition?: unknown }[] } }[];
    };
    const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    expect(statements.find(({ Sid }) => Sid === 'Table')!.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map((prefix) => `${prefix}*`) },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    expect(functions[name]!.grants).toEqual({ table: actions, partitions, catalog: true, ...more });
  });

  it.each([
    ...withWrites('management').map(
      ([name]) => [name, ['GENERATION#', 'LEASE#', 'ACTIVITY', 'SEALS#', 'MODELS#']] as const,
    ),
    ...withWrites('inference').map(([name]) => [name, ['KEY#', 'ACCOUNT#', 'WORKSPACE#', 'AUDIT#', 'SEALS#']] as const),
  ])('lets %s write in no partition of %j', (name, forbidden) => {
    const [, role] = Object.entries(api.findResources('AWS::IAM::Role')).find(([id]) =>
      id.startsWith(`${pascalCase(name)}Role`),
    )!;
    const writing = (
      role['Properties'] as { Policies: { PolicyDocument: { Statement: TableStatement[] } }[] }
    ).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).filter(({ Action }) =>
      [Action].flat().some((action) => writingActions.some((granted) => action === `dynamodb:${granted}`)),
    );
    expect(writing.map(({ Sid }) => Sid)).toEqual(['TableWrites']);
    const { 'dynamodb:LeadingKeys': keys } = writing[0]!.Condition!['ForAllValues:StringLike'];
    expect(writing[0]!.Condition!.Null).toEqual({ 'dynamodb:LeadingKeys': 'false' });
    expect(keys.length).toBeGreaterThan(0);
    for (const prefix of forbidden) {
      expect(keys.filter((key) => prefix.startsWith(key.slice(0, -1)) || key.startsWith(prefix))).toEqual([]);
    }
  });

  it('lets no function invoke Bedrock models with its own role, unless configured', () => {
    expect(JSON.stringify(api.toJSON())).not.toContain('bedrock:');
    const model = 'arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0';

    const roles = rolesWith({ 'gateway:bedrockModels': model });

    const invoking = roles.filter(([, role]) => JSON.stringify(role).includes('bedrock:'));
    expect(invoking.map(([id]) => id)).toEqual([
      expect.stringMatching(/^CreateMessageRole/),
      expect.stringMatching(/^CreateChatCompletionRole/),
      expect.stringMatching(/^CreateResponseRole/),
      expect.stringMatching(/^CreateEmbeddingsRole/),
      expect.stringMatching(/^CreateRerankRole/),
      expect.stringMatching(/^CreateImageRole/),
      expect.stringMatching(/^GenerateImageRole/),
      expect.stringMatching(/^EditImageRole/),
    ]);
    expect(JSON.stringify(invoking)).toContain(
      `"Action":["bedrock:InvokeModel","bedrock:InvokeModelWithResponseStream"],"Effect":"Allow","Resource":"${model}"`,
    );
  });

  it('keeps exports immutable, and lets reviewers only read them', () => {
    api.hasResourceProperties('AWS::S3::Bucket', {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 400 } } },
    });
    api.hasResourceProperties('AWS::IAM::ManagedPolicy', {
      PolicyDocument: {
        Statement: [
          { Sid: 'List', Action: 's3:ListBucket', Effect: 'Allow', Resource: Match.anyValue() },
          { Sid: 'Read', Action: 's3:GetObject', Effect: 'Allow', Resource: Match.anyValue() },
          { Sid: 'PublicKey', Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: Match.anyValue() },
        ],
      },
    });
    const exporter = Object.values(api.findResources('AWS::IAM::Role')).filter((role) =>
      /ExportTableToPointInTime|DescribeExport/.test(JSON.stringify(role)),
    );
    expect(exporter).toHaveLength(1);
    // DynamoDB writes exports with these permissions of its caller.
    for (const action of ['s3:PutObject', 's3:PutObjectAcl', 's3:AbortMultipartUpload'])
      expect(JSON.stringify(exporter)).toContain(`"${action}"`);
  });

  it('lets each function that reads objects list their bucket, because S3 otherwise answers 403 for a missing one', () => {
    const policies = ['AWS::IAM::Role', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      Object.entries(api.findResources(type)).map(([id, { Properties }]) => [id, statementsOf(Properties)] as const),
    );
    const readers = policies.filter(([, statements]) => resourcesOf(statements, 's3:GetObject').length > 0);

    expect(readers.map(([id]) => id)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^AdvanceVideosRole/),
        expect.stringMatching(/^GetVideoContentRole/),
      ]),
    );
    for (const [id, statements] of readers) {
      const listed = resourcesOf(statements, 's3:ListBucket').map((bucket) => JSON.stringify(bucket));
      for (const object of resourcesOf(statements, 's3:GetObject'))
        expect(
          listed.some((bucket) => JSON.stringify(object).includes(bucket)),
          id,
        ).toBe(true);
    }
  });

  it('reserves enough concurrency for overlapping runs of schedules', () => {
    const overlapping = Object.entries<ScheduledWorker>(scheduledWorkers).filter(
      ([, { timeoutSeconds, everyMinutes }]) => timeoutSeconds > RUNS_AT_ONCE * everyMinutes * 60,
    );
    // While a run of these workers does its work, later runs end at once.
    expect(overlapping.map(([name]) => name)).toEqual(['reconcile-days', 'seal-days']);
  });

  it('reserves concurrency only for workers, if the account has enough', () => {
    const { api: stack } = otherDeployment();
    const workers = [
      ...Object.values(queueWorkers).map(({ maxConcurrency }) => maxConcurrency),
      ...Object.keys(scheduledWorkers).map(() => 2),
    ];

    expect(reservedIn(api)).toEqual([]);
    expect(reservedIn(wholeTemplate(stack)).toSorted()).toEqual(workers.toSorted());
  });

  it('has the tags that the operator names', () => {
    const { api: stack, data: kept } = otherDeployment();
    for (const [type, template] of [
      ['AWS::Lambda::Function', stack],
      ['AWS::SecretsManager::Secret', kept],
    ] as const) {
      Template.fromStack(template).hasResourceProperties(type, {
        Tags: Match.arrayWith([{ Key: 'team', Value: 'platform' }]),
      });
    }
  });

  it('keeps the logical ids of retained resources, because another id would replace them', () => {
    expect({
      data: idsIn(data, [
        'AWS::DynamoDB::GlobalTable',
        'AWS::SecretsManager::Secret',
        'AWS::KMS::Key',
        'AWS::S3::Bucket',
      ]),
      api: idsIn(api, ['AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::ApiGateway::RestApi']).toSorted(),
    }).toMatchInlineSnapshot(`
      {
        "api": [
          "AdvanceVideosDeadLetters63CF6FCD",
          "AdvanceVideosQueueCDEF358F",
          "ApiF70053CD",
          "Books8C439C90",
          "CheckAlertsDeadLettersD74D6BD5",
          "CheckAlertsQueueC9BA1A7B",
          "FinalizeCostDeadLettersDC5AAD06",
          "FinalizeCostQueue8E2333D1",
          "RollUpActivityDeadLetters1DCA7058",
          "RollUpActivityQueueB2F7669D",
          "Videos88AE8DA0",
        ],
        "data": [
          "TableCD117FA1",
          "Pepper2B9638F2",
          "ProviderKeys2563E0B5",
          "SealingKey98C9818D",
          "Catalog742F25FD",
        ],
      }
    `);
  });

  it('removes no resource of the last release, because a rollback and running functions need it', () => {
    for (const [name, template] of Object.entries({ data, api })) {
      const before = lastRelease[name as keyof LastRelease];
      const { Resources, Outputs } = template.toJSON() as {
        Resources: Record<string, { Type: string }>;
        Outputs: Record<string, unknown>;
      };
      const kept = Object.keys(before.resources).map((id) => [id, Resources[id]?.Type]);
      expect(Object.fromEntries(kept)).toEqual(before.resources);
      expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(before.outputs));
    }
    const { table } = lastRelease.data;
    data.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: table.keys,
      TimeToLiveSpecification: table.ttl,
      GlobalSecondaryIndexes: Match.arrayWith(table.indexes.map((index) => Match.objectLike(index))),
    });
  });

  it('looks up each value of the data stack once, because CloudFormation limits the rate of lookups', () => {
    const templates = readdirSync(created.outdir).filter((file) => file.endsWith('.template.json'));
    const lookups = templates.flatMap((file) => {
      const text = readFileSync(join(created.outdir, file), 'utf8');
      return file.includes('books') ? [] : [...text.matchAll(/"OutputName": "(\w+)"/g)].map(([, name]) => name);
    });

    expect(lookups.length).toBeGreaterThan(0);
    expect(lookups.toSorted()).toEqual([...new Set(lookups)].toSorted());
  });

  it('uses an existing table if configured, and keeps its own', () => {
    const { data: dataStack, api: apiStack } = otherDeployment();
    const adopted = JSON.stringify(Template.fromStack(apiStack).toJSON());
    const kept = Template.fromStack(dataStack);

    expect(adopted).toContain('table/restored-2026-11-23');
    expect(adopted).toContain('"TABLE_NAME":"restored-2026-11-23"');
    expect(adopted).not.toMatch(/ExportsOutput(FnGetAtt|Ref)Table/);
    kept.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
    // Exports that the API stack still reads cannot be removed.
    const exported = Object.keys(kept.findOutputs('ExportsOutput*'));
    expect(exported).toEqual(expect.arrayContaining(Object.keys(data.findOutputs('ExportsOutput*Table*'))));
    kept.hasOutput('TableName', { Value: 'restored-2026-11-23' });
  });

  it('lets one function sign sealed days with a key in KMS, and store them in one folder', () => {
    data.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' },
    });
    const signing = Object.entries(api.findResources('AWS::IAM::Role')).filter(([, role]) =>
      JSON.stringify(role).includes('kms:Sign'),
    );
    expect(signing.map(([id]) => id)).toEqual([expect.stringMatching(/^SealDaysRole/)]);
    expect(JSON.stringify(signing)).toContain('/sealed/*');
  });

  it('gives API Gateway’s own errors the gateway’s envelope', () => {
    const refusals = Object.values(api.findResources('AWS::ApiGateway::GatewayResponse'));
    expect(refusals.length).toBeGreaterThanOrEqual(7);
    for (const { Properties: refusal } of refusals as { Properties: { ResponseTemplates: Record<string, string> } }[]) {
      const filled = refusal.ResponseTemplates['application/json']!.replace('$context.requestId', 'id');
      // API Gateway's own error messages may contain the key of a caller.
      expect(filled).not.toContain('$');
      expect(JSON.parse(filled)).toMatchObject({
        type: 'error',
        error: { code: expect.any(Number) as number },
        request_id: 'id',
      });
    }
  });

  it('receives only forms in base64; API Gateway unpacks gzip and deflate of any size', () => {
    const [{ Properties: rest }] = Object.values(api.findResources('AWS::ApiGateway::RestApi')) as [
      { Properties: object },
    ];
    // If JSON was a binary media type, it would have a smaller maximum size. The second setting is a minimum size of
    // bodies that are decompressed.
    expect(rest).toMatchObject({ BinaryMediaTypes: ['multipart/form-data'] });
    expect(Object.keys(rest)).not.toContain('MinimumCompressionSize');
    api.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'UNSUPPORTED_MEDIA_TYPE',
      ResponseTemplates: { 'application/json': Match.stringLikeRegexp('content-encoding: gzip') },
    });
  });

  it.each(['INTEGRATION_FAILURE', 'THROTTLED'])('sends Retry-After with the error %s', (ResponseType) => {
    api.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType,
      ResponseParameters: Match.objectLike({ 'gatewayresponse.header.retry-after': "'1'" }),
    });
  });

  it('covers every kind of API Gateway’s errors, each with its status as code', () => {
    const refusals = Object.values(api.findResources('AWS::ApiGateway::GatewayResponse')) as {
      Properties: { ResponseType: string; StatusCode?: string; ResponseTemplates: Record<string, string> };
    }[];
    const statuses = refusals.map(({ Properties: { ResponseType: type, StatusCode: status, ResponseTemplates } }) => {
      const [, code] = /"code":(\d+)/.exec(ResponseTemplates['application/json']!)!;
      return [type, status, code];
    });
    const byType = Object.fromEntries(statuses.map(([type, status]) => [type, status]));
    const { DEFAULT_4XX, DEFAULT_5XX, ...named } = byType;
    expect([DEFAULT_4XX, DEFAULT_5XX]).toEqual([undefined, undefined]);
    expect(named).toEqual({
      ACCESS_DENIED: '403',
      API_CONFIGURATION_ERROR: '500',
      AUTHORIZER_CONFIGURATION_ERROR: '500',
      AUTHORIZER_FAILURE: '500',
      BAD_REQUEST_BODY: '400',
      BAD_REQUEST_PARAMETERS: '400',
      EXPIRED_TOKEN: '404',
      INTEGRATION_FAILURE: '529',
      INTEGRATION_TIMEOUT: '504',
      INVALID_API_KEY: '403',
      INVALID_SIGNATURE: '404',
      MISSING_AUTHENTICATION_TOKEN: '404',
      QUOTA_EXCEEDED: '429',
      REQUEST_TOO_LARGE: '413',
      RESOURCE_NOT_FOUND: '404',
      THROTTLED: '429',
      UNAUTHORIZED: '401',
      UNSUPPORTED_MEDIA_TYPE: '415',
      WAF_FILTERED: '403',
    });
    for (const [type, status, code] of statuses) if (status) expect([type, code]).toEqual([type, status]);
  });

  it('never replaces its secrets: their generation settings are unchanged', () => {
    const made = Object.values(data.findResources('AWS::SecretsManager::Secret')).map(
      ({ Properties }) => (Properties as { GenerateSecretString: unknown }).GenerateSecretString,
    );
    expect(made).toEqual([
      { ExcludePunctuation: true, PasswordLength: 64 },
      { GenerateStringKey: 'generated', SecretStringTemplate: '{}' },
    ]);
  });

  it('has the outputs that an operator needs, such as the table and both secrets', () => {
    for (const name of ['TableName', 'PepperSecretArn', 'ProviderKeysSecretArn', 'OperatorPolicyArn']) {
      data.hasOutput(name, {});
    }
    // The CDK adds outputs for values that other stacks read.
    const outputs = Object.keys(api.findOutputs('*')).filter((name) => !name.startsWith('PublishOutput'));
    expect(outputs.toSorted()).toEqual([
      'AlarmTopicArn',
      'BaseUrl',
      'BooksBucketName',
      'MailOperatorPolicyArn',
      'MailTopicArn',
      'ReviewerPolicyArn',
      'StageArn',
      'StreamingUrl',
    ]);
  });

  it('gives operators access to the table, its pepper, the provider keys and the catalog', () => {
    const policies = Object.values(data.findResources('AWS::IAM::ManagedPolicy')) as {
      Properties: { PolicyDocument: { Statement: { Sid: string; Action: string | string[]; Resource: unknown }[] } };
    }[];
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements.map(({ Sid }) => Sid)).toEqual([
      'Table',
      'Pepper',
      'ProviderKeys',
      'Publication',
      'Publications',
    ]);
    expect(statements.map(({ Action }) => (Array.isArray(Action) ? Action.toSorted() : Action))).toEqual([
      operatorActions.map((action) => `dynamodb:${action}`).toSorted(),
      'secretsmanager:GetSecretValue',
      ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
      ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'],
      ['s3:ListBucket', 's3:ListBucketVersions'],
    ]);
    expect(JSON.stringify(statements)).not.toContain('*');
    expect(policies[0]!.Properties).not.toHaveProperty('Roles');
  });

  it('gives operators access to the e-mail addresses of the mail topic alone', () => {
    const [topic] = Object.entries(api.findResources('AWS::SNS::Topic')).flatMap(([id]) =>
      id.startsWith('Mails') ? [{ Ref: id }] : [],
    );
    const policies = Object.entries(api.findResources('AWS::IAM::ManagedPolicy')).flatMap(([id, { Properties }]) =>
      id.startsWith('MailOperator') ? [Properties as { PolicyDocument: { Statement: unknown } }] : [],
    );

    expect(policies.map(({ PolicyDocument }) => PolicyDocument.Statement)).toEqual([
      [
        {
          Sid: 'Mails',
          Effect: 'Allow',
          Action: 'sns:Subscribe',
          Resource: topic,
          Condition: { StringEquals: { 'sns:Protocol': 'email' } },
        },
        {
          Sid: 'Addresses',
          Effect: 'Allow',
          Action: 'sns:ListSubscriptionsByTopic',
          Resource: topic,
        },
        // AWS does not limit this action to topics.
        { Sid: 'Unsubscribe', Effect: 'Allow', Action: 'sns:Unsubscribe', Resource: '*' },
      ],
    ]);
    expect(policies[0]).not.toHaveProperty('Roles');
  });

  it('keeps the table: protected, recoverable, with its indexes', () => {
    data.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        GlobalSecondaryIndexes: tableDefinition.indexes.map(({ name }) => Match.objectLike({ IndexName: name })),
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: Match.objectLike({ PointInTimeRecoveryEnabled: true }),
          }),
        ],
      },
    });
  });

  it('streams the routes of the manifest, with a timeout slightly above the function’s', () => {
    const methods = Object.values(api.findResources('AWS::ApiGateway::Method')) as {
      Properties: { Integration: { ResponseTransferMode?: string; TimeoutInMillis?: number } };
    }[];
    const streaming = methods.filter(
      ({ Properties: { Integration } }) => Integration.ResponseTransferMode === 'STREAM',
    );
    const timeouts = Object.values<Route>(routes).flatMap((route) =>
      route.streaming ? route.paths.map(() => Math.min(route.timeoutSeconds + 2, 900) * 1_000) : [],
    );
    // The template has the methods in the order of their paths.
    expect(streaming.map(({ Properties: { Integration } }) => Integration.TimeoutInMillis).toSorted()).toEqual(
      timeouts.toSorted(),
    );
  });

  it('lets every alarm of its account publish to the topics that it names, and nothing else', () => {
    const alarms = Object.values(api.findResources('AWS::CloudWatch::Alarm')) as {
      Properties: { AlarmActions: { Ref: string }[]; OKActions: { Ref: string }[] };
    }[];
    const policies = Object.values(api.findResources('AWS::SNS::TopicPolicy')) as {
      Properties: { Topics: { Ref: string }[]; PolicyDocument: { Statement: Statement[] } };
    }[];
    const account = { Ref: 'AWS::AccountId' };
    const named = alarms.flatMap(({ Properties }) => [...Properties.AlarmActions, ...Properties.OKActions]);
    expect(named).toHaveLength(2 * alarms.length);
    for (const topic of new Set(named.map(({ Ref }) => Ref))) {
      expect(Object.keys(api.findResources('AWS::SNS::Topic'))).toContain(topic);
      // An explicit policy replaces the default policy, by which services of the account may publish.
      const statements = policies
        .filter(({ Properties }) => Properties.Topics.some(({ Ref }) => Ref === topic))
        .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
      const publishes = (context: object, service = 'cloudwatch.amazonaws.com') =>
        decide(statements, {
          service,
          action: 'sns:Publish',
          resource: { Ref: topic },
          context: { 'aws:SourceAccount': account, 'aws:SecureTransport': 'true', ...context },
        });
      expect(publishes({})).toBe('allowed');
      expect(publishes({ 'aws:SourceAccount': '123456789012' })).toBe('not allowed');
      expect(publishes({}, 'events.amazonaws.com')).toBe('not allowed');
      expect(publishes({ 'aws:SecureTransport': 'false' })).toBe('denied');
    }
  });

  it('has an alarm for messages that wait longer than their worker should take', () => {
    for (const { lateAfterSeconds } of Object.values(queueWorkers)) {
      api.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName: 'ApproximateAgeOfOldestMessage',
        Threshold: lateAfterSeconds,
      });
    }
    // At midnight the messages of all accounts arrive at once, which must not raise an alarm.
    expect(queueWorkers['roll-up-activity'].lateAfterSeconds).toBeGreaterThanOrEqual(900);
  });

  it('has timeouts below the 29 seconds after which API Gateway ends a request, except for functions that stream', () => {
    const whole = Object.entries<Route>(routes).filter(([, route]) => !route.streaming);
    expect(whole.filter(([, { timeoutSeconds }]) => timeoutSeconds > 28)).toEqual([]);
  });

  it('warns at synthesis that alarms have no address', () => {
    const { context } = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };
    const warningsWith = (settings: Record<string, string>) => {
      const { api: stack } = createGatewayApp(join(directory, 'bundles'), {
        context: { ...context, ...settings },
        outdir: join(directory, 'cdk.out.warnings'),
        builtinCloudFormationValidation: false,
      });
      return Annotations.fromStack(stack)
        .findWarning('*', Match.stringLikeRegexp('gateway:alarmEmail'))
        .map(({ entry }) => entry.data as string);
    };
    expect(warningsWith({})).toHaveLength(1);
    expect(warningsWith({ 'gateway:alarmEmail': 'ops@example.org' })).toEqual([]);
  });

  it('passes the AWS Solutions checks', () => {
    expect(violations).toEqual([]);
  });
});
