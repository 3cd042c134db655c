/** IAM permissions and environment variables for the grants in the manifest. */

import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { deadLettersVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import {
  writingActions,
  type Grants,
  type ObjectFolder,
  type QueueName,
  type SecretName,
  type TableAction,
} from '../../lambdas/route.ts';
import { tableDefinition } from '../shared/table-definition.ts';
import { publicationIn } from './catalog-bucket.ts';
import { acknowledgeBooks, acknowledgeExports, acknowledgeSeals, allIn, sealsIn } from './books-bucket.ts';
import type { GatewayTable } from './data-stack.ts';
import type { DataValues } from './data-values.ts';
import { mailStatement } from './mail-topic.ts';
import { pascalCase } from './pascal-case.ts';
import { acknowledgeFolders, filesIn, foldersOf } from './video-bucket.ts';
import type { WorkerQueue } from './worker-queue.ts';

export interface Resources extends DataValues {
  bucket: Bucket;
  books: Bucket;
  mails: Topic;
  queues: Record<QueueName, WorkerQueue>;
}

const secretVariables: Record<SecretName, string> = {
  pepper: variables.pepperSecret,
  'provider-keys': variables.providerKeysSecret,
};

/** Returns the union of the grants of several functions, except for the permission for e-mails. */
export function unitedGrants(all: readonly Grants[]): Grants {
  const each = <Value>(read: (grants: Grants) => readonly Value[] | undefined): Value[] => [
    ...new Set(all.flatMap((grants) => read(grants) ?? [])),
  ];
  const ofTable = all.filter(({ table }) => table);
  const writing = ofTable.filter(({ table = [] }) => table.some(isWriting));
  const partitions = each((grants) => grants.partitions);
  const folders = each(({ objects = {} }) => Object.keys(objects) as ObjectFolder[]);
  return {
    table: each(({ table }) => table),
    ...(ofTable.every((grants) => grants.partitions) ? { partitions } : {}),
    ...(writing.every((grants) => grants.writes) ? { writes: each((grants) => grants.writes) } : {}),
    indexes: all.some(({ indexes }) => indexes),
    objects: Object.fromEntries(folders.map((folder) => [folder, each(({ objects }) => objects?.[folder])])),
    secrets: each(({ secrets }) => secrets),
    sendTo: each(({ sendTo }) => sendTo),
    watch: each(({ watch }) => watch),
    catalog: all.some(({ catalog }) => catalog),
    exports: all.some(({ exports }) => exports),
    seals: all.some(({ seals }) => seals),
  };
}

/** Acknowledges permissions with a wildcard as findings of cdk-nag. */
export function acknowledgeWildcards(role: Role, grants: Grants, resources: Resources): void {
  const folders = foldersOf(grants.objects).map(([folder]) => folder);
  if (folders.length > 0) acknowledgeFolders(role, resources.bucket, folders);
  if (grants.exports) {
    acknowledgeBooks(role, resources.books);
    acknowledgeExports(role, exportsOf(resources.table));
  }
  if (grants.seals) acknowledgeSeals(role, resources.books);
}

export function grantStatements(grants: Grants, resources: Resources): PolicyStatement[] {
  const { queues } = resources;
  const { objects, secrets = [], sendTo = [], watch = [] } = grants;
  const statements = tableStatements(grants, resources.table);
  for (const [folder, actions] of foldersOf(objects)) {
    statements.push(
      new PolicyStatement({
        sid: `Objects${pascalCase(folder)}`,
        actions: actions.map((action) => `s3:${action}`),
        resources: [filesIn(resources.bucket, folder)],
      }),
    );
  }
  if (foldersOf(objects).some(([, actions]) => actions.includes('GetObject'))) {
    statements.push(existence('ObjectsThere', resources.bucket));
  }
  if (grants.catalog) statements.push(...catalogStatements(resources));
  if (grants.exports) statements.push(...exportStatements(resources));
  if (grants.seals) statements.push(...sealStatements(resources));
  if (grants.mails) statements.push(mailStatement(resources.mails, grants.mails));
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

/**
 * Returns the permissions on the table. If writes are limited to fewer partitions than reads, they are in a statement
 * of their own.
 */
function tableStatements(
  { table: actions = [], partitions, writes, indexes }: Grants,
  { tableArn }: GatewayTable,
): PolicyStatement[] {
  const indexArns = indexes ? tableDefinition.indexes.map(({ name }) => `${tableArn}/index/${name}`) : [];
  const statement = (sid: string, granted: readonly TableAction[], on?: readonly string[]) =>
    new PolicyStatement({
      sid,
      actions: granted.map((action) => `dynamodb:${action}`),
      resources: [tableArn, ...indexArns],
      ...(on ? { conditions: onPartitions(on) } : {}),
    });
  if (actions.length === 0) return [];
  if (!writes) return [statement('Table', actions, partitions)];
  return [
    statement(
      'Table',
      actions.filter((action) => !isWriting(action)),
      partitions,
    ),
    statement('TableWrites', actions.filter(isWriting), writes),
  ];
}

function isWriting(action: TableAction): boolean {
  return writingActions.includes(action);
}

/**
 * Returns the permission to list a bucket, without which S3 responds with 403 instead of 404 for a missing object.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
function existence(sid: string, { bucketArn }: Pick<Bucket, 'bucketArn'>): PolicyStatement {
  return new PolicyStatement({ sid, actions: ['s3:ListBucket'], resources: [bucketArn] });
}

function catalogStatements({ catalog }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Catalog', actions: ['s3:GetObject'], resources: [publicationIn(catalog)] }),
    existence('CatalogThere', catalog),
  ];
}

/** Returns a pattern for exports, whose names DynamoDB chooses. */
function exportsOf({ tableArn }: GatewayTable): string {
  return `${tableArn}/export/*`;
}

/**
 * Returns the permissions to export the table. DynamoDB writes the export with the caller's permissions, and requires
 * the three permissions on the bucket.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport_Requesting.html
 */
function exportStatements({ table, books }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Export', actions: ['dynamodb:ExportTableToPointInTime'], resources: [table.tableArn] }),
    new PolicyStatement({ sid: 'Exported', actions: ['dynamodb:DescribeExport'], resources: [exportsOf(table)] }),
    new PolicyStatement({
      sid: 'Books',
      actions: ['s3:PutObject', 's3:PutObjectAcl', 's3:AbortMultipartUpload'],
      resources: [allIn(books)],
    }),
  ];
}

function sealStatements({ books, sealingKey }: Resources): PolicyStatement[] {
  return [
    new PolicyStatement({ sid: 'Sign', actions: ['kms:Sign'], resources: [sealingKey.keyArn] }),
    new PolicyStatement({ sid: 'Seals', actions: ['s3:GetObject', 's3:PutObject'], resources: [sealsIn(books)] }),
    existence('SealsThere', books),
  ];
}

/** Limits a statement to partitions. Every request must then name its partition keys, so scans are not allowed. */
function onPartitions(prefixes: readonly string[]): Record<string, object> {
  const keys = prefixes.map((prefix) => `${prefix}*`);
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys }, Null: { 'dynamodb:LeadingKeys': 'false' } };
}

export function grantEnvironment(grants: Grants, resources: Resources): Record<string, string> {
  const { queues } = resources;
  const { table, objects, secrets = [], sendTo = [], watch = [] } = grants;
  return {
    ...(table ? { [variables.tableName]: resources.table.tableName } : {}),
    ...(objects ? { [variables.bucketName]: resources.bucket.bucketName } : {}),
    ...(grants.catalog ? { [variables.catalogBucket]: resources.catalog.bucketName } : {}),
    ...(grants.exports
      ? { [variables.booksBucket]: resources.books.bucketName, [variables.tableArn]: resources.table.tableArn }
      : {}),
    ...(grants.mails ? { [variables.mailTopic]: resources.mails.topicArn } : {}),
    ...(grants.seals
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
