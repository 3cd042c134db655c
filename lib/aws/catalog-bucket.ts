import { RemovalPolicy, Validations, type Stack } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { PUBLICATION_KEY } from '../../lambdas/catalog/publication.ts';

/** Creates the bucket of published catalogs. It contains one object, of which all versions are kept. */
export function createCatalogBucket(stack: Stack): Bucket {
  const bucket = new Bucket(stack, 'Catalog', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    versioned: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Every version says who has published it and when; functions read it each minute, which nobody wants in a log.',
  });
  return bucket;
}

export function publicationIn(bucket: Pick<Bucket, 'arnForObjects'>): string {
  return bucket.arnForObjects(PUBLICATION_KEY);
}
