import { Duration, RemovalPolicy, Names, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { ObjectAction, ObjectFolder } from '../../lambdas/route.ts';
import { FILES_KEPT_DAYS } from '../../lambdas/routes.ts';

/** What waits for a provider is gone within hours; this is for what a function could not delete. */
const REQUESTS_KEPT_DAYS = 1;

/** Files of videos, and requests for them. Nobody reads it but functions, and who has a link of theirs. */
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

/** The rights to some folders, as the manifest has them. */
export function foldersOf(
  objects: Partial<Record<ObjectFolder, readonly ObjectAction[]>> = {},
): [ObjectFolder, readonly ObjectAction[]][] {
  return Object.entries(objects) as [ObjectFolder, readonly ObjectAction[]][];
}

export function filesIn(bucket: Bucket, folder: ObjectFolder): string {
  return bucket.arnForObjects(`${prefixOf(folder)}*`);
}

/** Keys are made of accounts and ids: rights can only name their folder. */
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
 * What the checks call the bucket's address: its attribute, and in a nested stack, once that is synthesized, the parameter that
 * hands it over.
 */
function arnNames(bucket: Bucket): string[] {
  const resource = bucket.node.defaultChild as CfnElement;
  return [`${Stack.of(bucket).getLogicalId(resource)}.Arn`, `referenceto${Names.nodeUniqueId(resource.node)}Arn`];
}

function prefixOf(folder: ObjectFolder): string {
  return `${folder}/`;
}
