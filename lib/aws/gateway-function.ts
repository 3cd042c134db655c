import { join } from 'node:path';
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionSpec } from '../../lambdas/route.ts';
import { acknowledgeWildcards, grantEnvironment, grantStatements, type Resources } from './grants.ts';

export interface GatewayFunctionProps {
  name: string;
  spec: FunctionSpec;
  resources: Resources;
  /** Directory of the bundles, with one folder per function. */
  bundles: string;
  environment: Record<string, string>;
  /** If undefined, the function shares the account's unreserved concurrency. */
  reservedConcurrency?: number | undefined;
  /** Permissions in addition to those in the manifest. */
  statements?: PolicyStatement[];
}

export class GatewayFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    super(scope, id);
    const { name, spec, resources } = props;
    this.logs = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logs = new PolicyStatement({
      sid: 'Logs',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.logs.logGroupArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        function: new PolicyDocument({
          statements: [logs, ...grantStatements(spec.grants, resources), ...(props.statements ?? [])],
        }),
      },
    });
    acknowledgeWildcards(role, spec.grants, resources);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `model gateway: ${name}`,
      // Keeps earlier versions, so that traffic can be switched back to them. Lambda publishes no second version of
      // unchanged code (https://docs.aws.amazon.com/lambda/latest/api/API_PublishVersion.html), so a deleted version
      // could not be deployed again.
      ...(spec.changesGradually
        ? { currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE } }
        : {}),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(join(props.bundles, name)),
      // Prevents the CDK from adding permissions to the role.
      role: role.withoutPolicyUpdates(),
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      timeout: Duration.seconds(spec.timeoutSeconds),
      memorySize: spec.memoryMb,
      ...(spec.diskMb === undefined ? {} : { ephemeralStorageSize: Size.mebibytes(spec.diskMb) }),
      environment: {
        ...props.environment,
        ...grantEnvironment(spec.grants, resources),
      },
    });
  }
}
