/** Server as a Lambda Web Function: one process handles many requests at a time. */

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
import { serverOptions } from '../shared/server-options.ts';
import { addServerFaultsAlarm } from './entry-point-alarms.ts';
import { acknowledgeWildcards, grantEnvironment, grantStatements, unitedGrants, type Resources } from './grants.ts';
import { addTripwires } from './tripwires.ts';

export const SERVER_BUNDLE = 'server';

/** Maximum duration of a request in Lambda, in minutes. */
const TIMEOUT_MINUTES = 15;
/** Maximum number of concurrent requests per environment that Lambda allows. AWS may assign fewer. */
const REQUESTS_AT_ONCE = 128;
/** Rate limits, in requests per second, that AWS allows for a Web Function's endpoint. */
const RATE_LIMITS = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000];

export interface WebServerProps {
  config: GatewayConfig;
  resources: Resources;
  bundles: string;
  environment: Record<string, string>;
  namespace: string;
}

/**
 * Adds the server in its own nested stack.
 *
 * Weakness: new code gets all requests at once, and AWS does not check whether it starts. Check the server from outside
 * after a deployment (docs/operations/deploy.md).
 * @returns the server's log
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
  // The name must be unique within the account, across all regions.
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
    environment: { NODE_OPTIONS: serverOptions.join(' '), ...environment, ...grantEnvironment(grants, resources) },
    // The gateway's routes check API keys themselves.
    defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
    defaultEndpoint: { rateLimit: rateLimitBelow(config.rateLimit) },
  });
  // AWS accepts only the function's name in this property, but the CDK may write an ARN.
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
 * The server's code under a key that depends only on the code.
 *
 * The CDK's own class also includes the environment variables of the revision in the key, before references between
 * stacks are resolved. The template would then refer to resources of other templates, which CloudFormation rejects. The
 * CDK's class gets the revision through `bindToResource`, which this class does not implement.
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

function rateLimitBelow(rateLimit: number): number {
  return RATE_LIMITS.findLast((limit) => limit <= rateLimit) ?? RATE_LIMITS[0]!;
}

/**
 * Acknowledges the CDK's warning about the public endpoint, and findings of cdk-nag on resources of the CDK. With these
 * resources, the CDK copies the code to a bucket that Lambda can read.
 */
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
      reason: 'Each of its functions checks the gateway’s own keys, as behind the API.',
    },
  );
}
