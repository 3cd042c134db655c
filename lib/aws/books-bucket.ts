import { Duration, RemovalPolicy, Stack, Validations, type CfnElement } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { Construct } from 'constructs';

/**
 * Creates the bucket of table exports and sealed days. For `lockDays` days, Object Lock prevents changes and deletion
 * of each new object version. The lock uses governance mode: principals with the permission to bypass governance can
 * still delete objects.
 * @param lockDays 0 for no default lock
 */
export function createBooksBucket(stack: Stack, lockDays: number): Bucket {
  const bucket = new Bucket(stack, 'Books', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
    objectLockEnabled: true,
    ...(lockDays > 0 ? { objectLockDefaultRetention: ObjectLockRetention.governance(Duration.days(lockDays)) } : {}),
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'A log of reads is a decision of the team: CloudTrail has data events for it.',
  });
  return bucket;
}

/**
 * Creates a policy to download exports and sealed days, and to verify signatures. By default the policy is attached to
 * no principal.
 */
export function createReviewerPolicy(
  stack: Stack,
  { books: bucket, sealingKey }: { books: Bucket; sealingKey: Pick<Key, 'keyArn'> },
): ManagedPolicy {
  const policy = new ManagedPolicy(stack, 'Reviewer', {
    description: 'Reads the exports and the sealed days of the model gateway: its books.',
    statements: [
      new PolicyStatement({ sid: 'List', actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
      new PolicyStatement({ sid: 'Read', actions: ['s3:GetObject'], resources: [allIn(bucket)] }),
      new PolicyStatement({ sid: 'PublicKey', actions: ['kms:GetPublicKey'], resources: [sealingKey.keyArn] }),
    ],
  });
  acknowledgeBooks(policy, bucket);
  return policy;
}

/** Acknowledges permissions for all objects of the bucket as a finding of cdk-nag. */
export function acknowledgeBooks(scope: Construct, bucket: Bucket): void {
  const logicalId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/*]`,
    reason: 'The bucket has the exports alone, and DynamoDB chooses their names.',
  });
}

/**
 * Acknowledges permissions for all exports of the table as a finding of cdk-nag. If the table is in another stack, the
 * checks see its ARN under two names: an attribute of the table, later an output of the other stack. The output exists
 * only after references between stacks are resolved, which happens before constructs are validated.
 */
export function acknowledgeExports(scope: Construct, arn: string): void {
  const acknowledge = () => {
    const name = flattenCfnReference(Stack.of(scope).resolve(arn));
    const reason = 'DynamoDB chooses the names of exports.';
    Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${name}]`, reason });
  };
  acknowledge();
  scope.node.addValidation({
    validate() {
      acknowledge();
      return [];
    },
  });
}

/** Acknowledges permissions for all sealed days as a finding of cdk-nag. */
export function acknowledgeSeals(scope: Construct, bucket: Bucket): void {
  const logicalId = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${SEALS_FOLDER}*]`,
    reason: 'Names of sealed days are made of accounts and days.',
  });
}

const SEALS_FOLDER = 'sealed/';

export function sealsIn(bucket: Bucket): string {
  return bucket.arnForObjects(`${SEALS_FOLDER}*`);
}

export function allIn(bucket: Bucket): string {
  return bucket.arnForObjects('*');
}
