import { Duration, RemovalPolicy, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { athenaChecks } from '../shared/book-views/views.ts';
import { CATALOG } from './books-tables.ts';
import { pascalCase } from './pascal-case.ts';

const RESULTS_KEPT_DAYS = 30;
const GIGABYTE = 1e9;

/**
 * Creates the bucket for query results. The bucket is retained when the stack is deleted, because CloudFormation cannot
 * delete a bucket that contains objects.
 */
export function createResultsBucket(stack: Stack): Bucket {
  const bucket = new Bucket(stack, 'Results', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [
      { expiration: Duration.days(RESULTS_KEPT_DAYS), abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Athena records who ran which query. A log of reads is a decision of the team: CloudTrail has data events for it.',
  });
  return bucket;
}

export interface Workgroup {
  name: string;
  database: string;
  results: Bucket;
  maxQueryGigabytes: number;
}

/**
 * Creates the Athena workgroup of reviewers, with saved queries that check the books. Its settings override clients'
 * settings.
 */
export function createWorkgroup(stack: Stack, { name, database, results, maxQueryGigabytes }: Workgroup): void {
  const workgroup = new CfnWorkGroup(stack, 'Workgroup', {
    name,
    description: 'Queries over the exports of the model gateway: its books.',
    // Without this option, saved queries and the query history would prevent deletion of the workgroup.
    recursiveDeleteOption: true,
    workGroupConfiguration: {
      enforceWorkGroupConfiguration: true,
      engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
      bytesScannedCutoffPerQuery: Math.round(maxQueryGigabytes * GIGABYTE),
      // No alarm or graph uses these metrics.
      publishCloudWatchMetricsEnabled: false,
      requesterPaysEnabled: false,
      resultConfiguration: {
        outputLocation: `s3://${results.bucketName}/`,
        encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        expectedBucketOwner: stack.account,
      },
    },
  });
  for (const [view, means] of Object.entries(athenaChecks)) {
    new CfnNamedQuery(stack, `${pascalCase(view.replaceAll('_', '-'))}Check`, {
      name: view,
      description: `Must be empty. A row is ${means}.`,
      database,
      workGroup: name,
      queryString: `SELECT * FROM ${view}`,
    }).addResourceDependency(workgroup);
  }
}

/**
 * Creates the policy for SQL queries, in addition to the policy that allows reading exports. By default the policy is
 * attached to no principal.
 */
export function createQueryPolicy(
  stack: Stack,
  { books, workgroup }: { books: Bucket; workgroup: Workgroup },
): ManagedPolicy {
  const { name, database, results } = workgroup;
  const arn = (service: string, resource: string) => stack.formatArn({ service, resource });
  const tables = arn('glue', `table/${database}/*`);
  const answers = results.arnForObjects('*');
  const policy = new ManagedPolicy(stack, 'Queries', {
    description: 'Queries the books of the model gateway in SQL (Amazon Athena).',
    statements: [
      allowed('Ask', 'athena', asking, [arn('athena', `workgroup/${name}`)]),
      allowed('Sources', 'athena', lookingUp, [arn('athena', `datacatalog/${CATALOG}`)]),
      allowed('Names', 'athena', ['ListWorkGroups', 'ListDataCatalogs'], ['*']),
      allowed('Tables', 'glue', reading, [arn('glue', 'catalog'), arn('glue', `database/${database}`), tables]),
      // Athena also reads the default database.
      allowed('Default', 'glue', ['GetDatabase'], [arn('glue', 'database/default')]),
      allowed('Places', 's3', ['GetBucketLocation'], [books.bucketArn, results.bucketArn]),
      allowed(
        'Answers',
        's3',
        ['GetObject', 'PutObject', 'AbortMultipartUpload', 'ListMultipartUploadParts'],
        [answers],
      ),
      allowed('AnswersThere', 's3', ['ListBucket', 'ListBucketMultipartUploads'], [results.bucketArn]),
    ],
  });
  const bucketId = Stack.of(results).getLogicalId(results.node.defaultChild as CfnElement);
  const account = '<AWS::Partition>:glue:<AWS::Region>:<AWS::AccountId>';
  Validations.of(policy).acknowledge(
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lists of names have no resource: AWS grants them on all or none.',
    },
    { id: `AwsSolutions-IAM5[Resource::arn:${account}:table/${database}/*]`, reason: 'All of the one database.' },
    { id: `AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/*]`, reason: 'Athena chooses the names of answers.' },
  );
  return policy;
}

const asking = [
  'StartQueryExecution',
  'StopQueryExecution',
  'GetQueryExecution',
  'BatchGetQueryExecution',
  'ListQueryExecutions',
  'GetQueryResults',
  'GetQueryResultsStream',
  'GetQueryRuntimeStatistics',
  'GetWorkGroup',
  'ListNamedQueries',
  'GetNamedQuery',
  'BatchGetNamedQuery',
];
const lookingUp = ['GetDataCatalog', 'ListDatabases', 'GetDatabase', 'ListTableMetadata', 'GetTableMetadata'];
const reading = [
  'GetDatabase',
  'GetDatabases',
  'GetTable',
  'GetTables',
  'GetPartition',
  'GetPartitions',
  'BatchGetPartition',
];

function allowed(sid: string, service: string, actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ sid, actions: actions.map((action) => `${service}:${action}`), resources });
}
