import { Duration, RemovalPolicy, Names, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { ObjectAction, ObjectFolder } from '../../lambdas/route.ts';
import { FILES_KEPT_DAYS } from '../../lambdas/routes.ts';

/**
 * Days after which a rule of the bucket deletes request files. Functions delete them within hours; if that fails, the
 * rule deletes them.
 */
const REQUESTS_KEPT_DAYS = 1;

/**
 * Creates the bucket of video files and of the requests for them. Only functions, and clients with a presigned link,
 * can read it.
 */
export function createVideoBucket(stack: Stack): Bucket {
  const bucket = new Bucket(stack, 'Videos', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
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

/** Returns the granted actions by folder, from the manifest. */
export function foldersOf(
  objects: Partial<Record<ObjectFolder, readonly ObjectAction[]>> = {},
): [ObjectFolder, readonly ObjectAction[]][] {
  return Object.entries(objects) as [ObjectFolder, readonly ObjectAction[]][];
}

export function filesIn(bucket: Bucket, folder: ObjectFolder): string {
  return bucket.arnForObjects(`${prefixOf(folder)}*`);
}

/**
 * Acknowledges rights to folders as findings of the security checks (cdk-nag). Keys of files contain accounts and ids,
 * so a right can name only the folder.
 */
export function acknowledgeFolders(scope: Construct, bucket: Bucket, folders: ObjectFolder[]): void {
  const acknowledgements = arnNames(bucket).flatMap((arn) =>
    folders.map((folder) => ({
      id: `AwsSolutions-IAM5[Resource::<${arn}>/${prefixOf(folder)}*]`,
      reason: 'Keys of files are made of accounts and ids.',
    })),
  );
  Validations.of(scope).acknowledge(...acknowledgements);
}

/**
 * Returns the names of the bucket's ARN in the security checks: its attribute and, in a nested stack, the parameter
 * that passes the ARN.
 */
function arnNames(bucket: Bucket): string[] {
  const resource = bucket.node.defaultChild as CfnElement;
  return [`${Stack.of(bucket).getLogicalId(resource)}.Arn`, `referenceto${Names.nodeUniqueId(resource.node)}Arn`];
}

function prefixOf(folder: ObjectFolder): string {
  return `${folder}/`;
}
