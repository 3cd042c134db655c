import { Duration, RemovalPolicy, Stack, Validations, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
  type Attribute,
} from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { ObjectFolder, SecretName } from '../../lambdas/route.ts';
import { FILES_KEPT_DAYS } from '../../lambdas/routes.ts';
import type { GatewayConfig } from '../config.ts';
import { tableDefinition } from '../table-definition.ts';

export interface DataStackProps extends StackProps {
  config: GatewayConfig;
}

/** A request is sent within hours, or never. */
const REQUESTS_KEPT = Duration.days(1);

/** What must outlive every deployment: the table, the bucket and the secrets. Moving them to another stack would replace them. */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly bucket: Bucket;
  readonly secrets: Record<SecretName, Secret>;

  constructor(scope: Construct, id: string, { config, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    const throughput = { maxReadRequestUnits: config.maxReadUnits, maxWriteRequestUnits: config.maxWriteUnits };
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(tableDefinition.partitionKey),
      sortKey: text(tableDefinition.sortKey),
      billing: Billing.onDemand(throughput),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      timeToLiveAttribute: tableDefinition.ttlAttribute,
      globalSecondaryIndexes: tableDefinition.indexes.map((index) => ({
        indexName: index.name,
        partitionKey: text(index.partition),
        sortKey: text(index.sort),
        ...throughput,
        ...(index.projected.length > 0
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: index.projected }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      })),
    });
    this.bucket = new Bucket(this, 'Videos', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { prefix: folderPrefix('videos'), expiration: Duration.days(FILES_KEPT_DAYS) },
        { prefix: folderPrefix('video-requests'), expiration: REQUESTS_KEPT },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    this.secrets = {
      pepper: new Secret(this, 'Pepper', {
        description: 'Turns keys into their stored hashes. Losing it invalidates every key.',
        removalPolicy: RemovalPolicy.RETAIN,
        generateSecretString: { passwordLength: 64, excludePunctuation: true },
      }),
      'provider-keys': new Secret(this, 'ProviderKeys', {
        description: 'JSON map of provider credentials by the names in the catalog, e.g. {"ANTHROPIC_API_KEY": "…"}.',
        removalPolicy: RemovalPolicy.RETAIN,
        generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'generated' },
      }),
    };
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Functions log one line per request; a log of every read would name accounts and outlive the files.',
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The pepper cannot rotate without invalidating every key; provider keys rotate at the provider.',
    });
  }
}

/** Of the keys in a folder of the bucket. */
export function folderPrefix(folder: ObjectFolder): string {
  return `${folder}/`;
}

function text(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}
