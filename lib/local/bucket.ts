import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { localCredentials, quietLogger } from '../../lambdas/platform/aws/sdk.ts';

const LOCAL_BUCKET = 'model-gateway-local';

export async function createBucket(endpoint: string): Promise<string> {
  const client = new S3Client({
    endpoint,
    logger: quietLogger,
    region: 'us-east-1',
    credentials: localCredentials,
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: LOCAL_BUCKET }));
  client.destroy();
  return LOCAL_BUCKET;
}
