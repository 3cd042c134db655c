import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { deadLettersVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import type { FunctionSpec, QueueName, SecretName } from '../../lambdas/route.ts';
import { tableDefinition } from '../table-definition.ts';
import { publicationIn } from './catalog-bucket.ts';
import { acknowledgeBooks, acknowledgeSeals, allIn, sealsIn } from './books-bucket.ts';
import type { GatewayTable } from './data-stack.ts';
import { pascalCase } from './pascal-case.ts';
import { acknowledgeFolders, filesIn, foldersOf } from './video-bucket.ts';
import type { WorkerQueue } from './worker-queue.ts';

/** What functions may be granted. */
export interface Resources {
  table: GatewayTable;
  bucket: Bucket;
  books: Bucket;
  catalog: Bucket;
  sealingKey: Key;
  secrets: Record<SecretName, Secret>;
  queues: Record<QueueName, WorkerQueue>;
}

export interface GatewayFunctionProps {
  name: string;
  spec: FunctionSpec;
  resources: Resources;
  /** Where the bundles are: one folder per function. */
  bundles: string;
  environment: Record<string, string>;
  /** What no other function may use; undefined where all share. */
  reservedConcurrency?: number | undefined;
  /** Rights beyond the manifest's grants: a queue worker reads its queue. */
  statements?: PolicyStatement[];
}

const secretVariables: Record<SecretName, string> = {
  pepper: variables.pepperSecret,
  'provider-keys': variables.providerKeysSecret,
};

/** One function with its logs and its own role, which has exactly the grants of its manifest entry. */
export class GatewayFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    super(scope, id);
    const { name, spec } = props;
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
        function: new PolicyDocument({ statements: [logs, ...grantStatements(props), ...(props.statements ?? [])] }),
      },
    });
    const folders = foldersOf(spec.grants.objects).map(([folder]) => folder);
    if (folders.length > 0) acknowledgeFolders(role, props.resources.bucket, folders);
    if (spec.grants.exports) acknowledgeBooks(role, props.resources.books);
    if (spec.grants.seals) acknowledgeSeals(role, props.resources.books);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `model gateway: ${name}`,
      // An earlier version can take over again within seconds.
      ...(spec.changesGradually ? { currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN } } : {}),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(join(props.bundles, name)),
      // Only the rights of the manifest: nothing that the CDK would add by itself.
      role: role.withoutPolicyUpdates(),
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      timeout: Duration.seconds(spec.timeoutSeconds),
      memorySize: spec.memoryMb,
      // Stacks in the log name our own files and lines. docs/figures.md says what that costs.
      environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment, ...grantEnvironment(props) },
    });
  }
}

function grantStatements({ spec, resources }: GatewayFunctionProps): PolicyStatement[] {
  const { queues } = resources;
  const { table, partitions, indexes, objects, secrets = [], sendTo = [], watch = [] } = spec.grants;
  const statements: PolicyStatement[] = [];
  if (table) {
    const indexArns = tableDefinition.indexes.map(({ name }) => `${resources.table.tableArn}/index/${name}`);
    statements.push(
      new PolicyStatement({
        sid: 'Table',
        actions: table.map((action) => `dynamodb:${action}`),
        resources: [resources.table.tableArn, ...(indexes ? indexArns : [])],
        ...(partitions ? { conditions: onPartitions(partitions) } : {}),
      }),
    );
  }
  for (const [folder, actions] of foldersOf(objects)) {
    statements.push(
      new PolicyStatement({
        sid: `Objects${pascalCase(folder)}`,
        actions: actions.map((action) => `s3:${action}`),
        resources: [filesIn(resources.bucket, folder)],
      }),
    );
  }
  if (spec.grants.catalog) statements.push(...catalogStatements(resources));
  if (spec.grants.exports) statements.push(...exportStatements(resources));
  if (spec.grants.seals) statements.push(...sealStatements(resources));
  if (secrets.length > 0) {
    statements.push(
      new PolicyStatement({
        sid: 'Secrets',
        actions: ['secretsmanager:GetSecretValue'],
        resources: secrets.map((name) => resources.secrets[name].secretArn),
      }),
    );
  }
  if (sendTo.length > 0) {
    statements.push(
      new PolicyStatement({
        sid: 'Queues',
        actions: ['sqs:SendMessage'],
        resources: sendTo.map((name) => queues[name].queue.queueArn),
      }),
    );
  }
  if (watch.length > 0) {
    statements.push(
      new PolicyStatement({
        sid: 'WatchQueues',
        actions: ['sqs:GetQueueAttributes'],
        resources: watch.flatMap((name) => [queues[name].queue.queueArn, queues[name].deadLetters.queueArn]),
      }),
    );
  }
  return statements;
}

/** Without the right to list, S3 says of an object that is not there that it is forbidden. */
function catalogStatements({ catalog }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Catalog', actions: ['s3:GetObject'], resources: [publicationIn(catalog)] }),
    new PolicyStatement({ sid: 'CatalogThere', actions: ['s3:ListBucket'], resources: [catalog.bucketArn] }),
  ];
}

/** The table exports itself with the rights of who asks it to. */
function exportStatements({ table, books }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Export', actions: ['dynamodb:ExportTableToPointInTime'], resources: [table.tableArn] }),
    new PolicyStatement({
      sid: 'Books',
      actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
      resources: [allIn(books)],
    }),
  ];
}

/** It reads what it has kept; without the right to list, S3 says of a file that is not there that it is forbidden. */
function sealStatements({ books, sealingKey }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Sign', actions: ['kms:Sign'], resources: [sealingKey.keyArn] }),
    new PolicyStatement({ sid: 'Seals', actions: ['s3:GetObject', 's3:PutObject'], resources: [sealsIn(books)] }),
    new PolicyStatement({ sid: 'SealsThere', actions: ['s3:ListBucket'], resources: [books.bucketArn] }),
  ];
}

/** Holds only of calls that name partition keys, which all but scans do. */
function onPartitions(prefixes: readonly string[]): Record<string, object> {
  const keys = prefixes.map((prefix) => `${prefix}*`);
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys }, Null: { 'dynamodb:LeadingKeys': 'false' } };
}

function grantEnvironment({ spec, resources }: GatewayFunctionProps): Record<string, string> {
  const { queues } = resources;
  const { table, objects, secrets = [], sendTo = [], watch = [] } = spec.grants;
  return {
    ...(table ? { [variables.tableName]: resources.table.tableName } : {}),
    ...(objects ? { [variables.bucketName]: resources.bucket.bucketName } : {}),
    ...(spec.grants.catalog ? { [variables.catalogBucket]: resources.catalog.bucketName } : {}),
    ...(spec.grants.exports
      ? { [variables.booksBucket]: resources.books.bucketName, [variables.tableArn]: resources.table.tableArn }
      : {}),
    ...(spec.grants.seals
      ? {
          [variables.booksBucket]: resources.books.bucketName,
          [variables.sealingKey]: resources.sealingKey.keyArn,
        }
      : {}),
    ...Object.fromEntries(secrets.map((name) => [secretVariables[name], resources.secrets[name].secretArn])),
    ...Object.fromEntries([...sendTo, ...watch].map((name) => [queueVariable(name), queues[name].queue.queueUrl])),
    ...Object.fromEntries(watch.map((name) => [deadLettersVariable(name), queues[name].deadLetters.queueUrl])),
  };
}
