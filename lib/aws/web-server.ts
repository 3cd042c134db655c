/** The server as a Lambda Web Function: one process answers many requests, and AWS charges for what it computes, not for what it waits. */

import { join } from 'node:path';
import { CfnOutput, Duration, NestedStack, RemovalPolicy, Validations, type Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  WebFunction,
  WebFunctionAuthType,
  WebFunctionCode,
  type WebFunctionCodeBindOptions,
  type WebFunctionCodeConfig,
  WebFunctionRuntime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { serverTripwires, tripwires } from '../../lambdas/platform/logger.ts';
import { functions } from '../../lambdas/routes.ts';
import { servedNames } from '../../lambdas/server/served-routes.ts';
import type { GatewayConfig } from './config.ts';
import type { Alarms } from './alarms.ts';
import { acknowledgeBedrock, bedrockStatements } from './bedrock.ts';
import { SERVER_PROGRAM } from '../shared/bundles/bundle.ts';
import { addServerFaultsAlarm } from './door-alarms.ts';
import { acknowledgeWildcards, grantEnvironment, grantStatements, unitedGrants, type Resources } from './grants.ts';
import { addTripwires } from './tripwires.ts';

/** The folder of its bundle, beside those of functions. */
export const SERVER_BUNDLE = 'server';

/** No answer is longer: the longest that Lambda lets a request take. */
const TIMEOUT_MINUTES = 15;
/** The most that Lambda lets one environment have; it gives it fewer where its processor is busy. */
const REQUESTS_AT_ONCE = 128;
/** The limits of requests a second that an endpoint can have. */
const RATE_LIMITS = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000];

export interface WebServerProps {
  config: GatewayConfig;
  resources: Resources;
  bundles: string;
  /** The variables that every process has. */
  environment: Record<string, string>;
  namespace: string;
}

/**
 * In a template of its own. Its role has the rights of all functions whose work it does, and of no other.
 *
 * Weakness: new code has all requests at once, and AWS does not look whether it starts: whoever deploys checks it from outside
 * (docs/operations/deploy.md).
 * @returns its log
 */
export function addWebServer(
  stack: Stack,
  alarms: Alarms,
  { config, resources, bundles, environment, namespace }: WebServerProps,
): LogGroup {
  const own = new NestedStack(stack, 'Server', { description: 'Model gateway: the server as a Web Function' });
  const grants = unitedGrants(servedNames.map((name) => functions[name]!.grants));
  const logs = new LogGroup(own, 'ServerLogs', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const writeLogs = new PolicyStatement({
    sid: 'Logs',
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logs.logGroupArn],
  });
  const role = new Role(own, 'ServerRole', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      server: new PolicyDocument({
        statements: [writeLogs, ...grantStatements(grants, resources), ...bedrockStatements(config.bedrockModels)],
      }),
    },
  });
  acknowledgeWildcards(role, grants, resources);
  acknowledgeBedrock(role, config.bedrockModels);
  // Such a name is taken in all regions of an account.
  const name = `model-gateway-${config.stage}-${own.region}`;
  const { endpoint, resourceRevision } = new WebFunction(own, 'WebFunction', {
    webFunctionName: name,
    runtime: WebFunctionRuntime.NODEJS_24_X,
    code: new CodeByContent(join(bundles, SERVER_BUNDLE)),
    entryPoint: SERVER_PROGRAM,
    role: role.withoutPolicyUpdates(),
    logGroup: logs,
    timeout: Duration.minutes(TIMEOUT_MINUTES),
    maxConcurrencyPerEnvironment: REQUESTS_AT_ONCE,
    environment: { NODE_OPTIONS: '--enable-source-maps', ...environment, ...grantEnvironment(grants, resources) },
    // Its functions ask for the gateway's own keys.
    defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
    defaultEndpoint: { rateLimit: rateLimitBelow(config.rateLimit) },
  });
  // AWS takes the name here and nothing else; the CDK would write what may be an ARN.
  for (const part of [resourceRevision, endpoint.resource]) part.addPropertyOverride('FunctionName', name);
  acknowledgeCopying(own);
  const written = { logs, namespace, areWrapped: true };
  const onUsage = { severity: 'Soon', runbook: 'Usage beyond the hold' } as const;
  addTripwires(alarms, 'server', { ...written, lines: tripwires, about: onUsage });
  const onStart = { severity: 'Urgent', runbook: 'The server' } as const;
  addTripwires(alarms, 'server', { ...written, lines: serverTripwires, about: onStart });
  addServerFaultsAlarm(alarms, namespace);
  new CfnOutput(stack, 'WebUrl', {
    value: `https://${endpoint.domainName}/v1`,
    description: 'Base URL of the server, for clients of models',
  });
  return logs;
}

/**
 * Code of the server in a bucket of the CDK's, under a key that depends on the code alone.
 *
 * The CDK's own class adds the revision's variables to that key. It reads them before it replaces references between stacks, so the template
 * would name resources of other templates, and CloudFormation refuses such a template. It gets the revision in `bindToResource`, which this
 * class does not hand on.
 */
class CodeByContent extends WebFunctionCode {
  readonly #asset: WebFunctionCode;

  constructor(path: string) {
    super();
    this.#asset = WebFunctionCode.fromAssetToManagedBucket(path);
  }

  override bind(scope: Construct, options: WebFunctionCodeBindOptions): WebFunctionCodeConfig {
    return this.#asset.bind(scope, options);
  }
}

/** The largest that is not above the API's own, or else the smallest that there is. */
function rateLimitBelow(rateLimit: number): number {
  return RATE_LIMITS.findLast((limit) => limit <= rateLimit) ?? RATE_LIMITS[0]!;
}

/** What the CDK itself adds, which copies the code from its staging bucket into one that Lambda may read. */
function acknowledgeCopying(own: NestedStack): void {
  const staging = 'arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*';
  const copies = '<AWSCDKWebFunctionAssetBucket5B596593.Arn>/web-function/*';
  const managed = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  const reason = 'The CDK’s own function, which runs at deployments alone, copies the code of the server with it.';
  Validations.of(own).acknowledge(
    { id: 'AwsSolutions-S1', reason: 'There is nothing in the bucket but code, and only Lambda reads it.' },
    { id: `AwsSolutions-IAM4[Policy::${managed}]`, reason },
    { id: `AwsSolutions-IAM5[Resource::${staging}]`, reason },
    { id: `AwsSolutions-IAM5[Resource::${copies}]`, reason },
    { id: 'AwsSolutions-IAM5[Action::s3:Abort*]', reason },
    { id: 'AwsSolutions-IAM5[Action::s3:DeleteObject*]', reason },
    {
      id: 'Annotation::@aws-cdk/aws-lambda:webFunctionPublicEndpoint',
      reason: 'Each of its functions asks for the gateway’s own keys, as behind the API.',
    },
  );
}
