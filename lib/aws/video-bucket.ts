import { Duration, RemovalPolicy, Names, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type CorsRule } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { FILES_KEPT_DAYS, type ObjectAction, type ObjectFolder } from '../../lambdas/route.ts';

const REQUESTS_KEPT_DAYS = 1;

/**
 * Access of web pages to presigned URLs. A browser that follows the gateway's redirect sends the origin `null`, so the
 * rule allows any origin.
 */
const PAGES: CorsRule = {
  allowedOrigins: ['*'],
  allowedMethods: [HttpMethods.GET],
  allowedHeaders: ['range'],
  exposedHeaders: ['content-length', 'content-range', 'etag'],
};

/**
 * Creates the private bucket for video files and video requests.
 * @param isForPages whether web pages may call the gateway (CORS)
 */
export function createVideoBucket(stack: Stack, isForPages: boolean): Bucket {
  const bucket = new Bucket(stack, 'Videos', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    ...(isForPages ? { cors: [PAGES] } : {}),
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [
      { prefix: prefixOf('videos'), expiration: Duration.days(FILES_KEPT_DAYS) },
      { prefix: prefixOf('video-requests'), expiration: Duration.days(REQUESTS_KEPT_DAYS) },
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Functions log one line per request; a log of reads would name accounts, and outlive the files.',
  });
  return bucket;
}

export function foldersOf(
  objects: Partial<Record<ObjectFolder, readonly ObjectAction[]>> = {},
): [ObjectFolder, readonly ObjectAction[]][] {
  return Object.entries(objects) as [ObjectFolder, readonly ObjectAction[]][];
}

export function filesIn(bucket: Bucket, folder: ObjectFolder): string {
  return bucket.arnForObjects(`${prefixOf(folder)}*`);
}

/** Acknowledges permissions for folders as findings of cdk-nag. */
export function acknowledgeFolders(scope: Construct, bucket: Bucket, folders: ObjectFolder[]): void {
  const acknowledgements = arnNames(bucket).flatMap((arn) =>
    folders.map((folder) => ({
      id: `AwsSolutions-IAM5[Resource::<${arn}>/${prefixOf(folder)}*]`,
      reason: 'Keys of files are made of accounts and ids.',
    })),
  );
  Validations.of(scope).acknowledge(...acknowledgements);
}

/** Returns the names under which cdk-nag sees the bucket's ARN: its attribute and, in a nested stack, a parameter. */
function arnNames(bucket: Bucket): string[] {
  const resource = bucket.node.defaultChild as CfnElement;
  return [`${Stack.of(bucket).getLogicalId(resource)}.Arn`, `referenceto${Names.nodeUniqueId(resource.node)}Arn`];
}

function prefixOf(folder: ObjectFolder): string {
  return `${folder}/`;
}
