import { CfnOutput, RemovalPolicy, Stack, Validations, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
  type Attribute,
  type ITableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { SecretName } from '../../lambdas/route.ts';
import type { GatewayConfig } from './config.ts';
import { tableDefinition } from '../shared/table-definition.ts';
import { createCatalogBucket, publicationIn } from './catalog-bucket.ts';

export const operatorActions = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'Scan',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'ConditionCheckItem',
] as const;

export interface DataStackProps extends StackProps {
  config: GatewayConfig;
}

export type GatewayTable = Pick<ITableV2, 'tableArn' | 'tableName' | 'metric'>;

/** Stack of the resources that must outlive every deployment. Moving them to another stack would replace them. */
export class DataStack extends Stack {
  readonly table: GatewayTable;
  readonly secrets: Record<SecretName, Secret>;
  /**
   * Key that signs the statements of sealed days. It must not be rotated, because old signatures are verified with it.
   */
  readonly sealingKey: Key;
  readonly catalog: Bucket;

  constructor(scope: Construct, id: string, { config, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: config.terminationProtection });
    const { warmWriteUnits } = config;
    const warm = warmWriteUnits === undefined ? {} : { warmThroughput: warmthOf(warmWriteUnits) };
    const throughput = { maxReadRequestUnits: config.maxReadUnits, maxWriteRequestUnits: config.maxWriteUnits };
    const own = new TableV2(this, 'Table', {
      partitionKey: stringAttribute(tableDefinition.partitionKey),
      sortKey: stringAttribute(tableDefinition.sortKey),
      billing: Billing.onDemand(throughput),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      timeToLiveAttribute: tableDefinition.ttlAttribute,
      ...warm,
      globalSecondaryIndexes: tableDefinition.indexes.map((index) => ({
        indexName: index.name,
        partitionKey: stringAttribute(index.partition),
        sortKey: stringAttribute(index.sort),
        ...throughput,
        ...warm,
        ...(index.projected.length > 0
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: index.projected }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      })),
    });
    // If an existing table replaces the stack's own table, these outputs must stay: the deployed API stack still
    // imports them, and CloudFormation cannot delete an imported output.
    this.exportValue(own.tableArn);
    this.exportValue(own.tableName);
    this.table = this.#adopted(config) ?? own;
    this.secrets = {
      // Never change generateSecretString, not even the length: CloudFormation would generate a new secret. Two changes
      // of the pepper invalidate every key that was created before them.
      pepper: new Secret(this, 'Pepper', {
        description: 'Turns keys into their stored hashes. Losing it invalidates every key.',
        removalPolicy: RemovalPolicy.RETAIN,
        generateSecretString: { passwordLength: 64, excludePunctuation: true },
      }),
      'provider-keys': new Secret(this, 'ProviderKeys', {
        description: 'JSON object of credentials by the names in the catalog, e.g. {"ANTHROPIC_API_KEY": "…"}.',
        removalPolicy: RemovalPolicy.RETAIN,
        generateSecretString: { secretStringTemplate: '{}', generateStringKey: 'generated' },
      }),
    };
    this.sealingKey = new Key(this, 'SealingKey', {
      description: 'Signs the statements of sealed days of the model gateway.',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.catalog = createCatalogBucket(this);
    const operator = this.#addOperatorPolicy();
    const outputs = {
      TableName: [this.table.tableName, 'The table: admin --table'],
      PepperSecretArn: [this.secrets.pepper.secretArn, 'The secret that hashes keys: admin --pepper-secret'],
      ProviderKeysSecretArn: [this.secrets['provider-keys'].secretArn, 'The secret with the keys of providers'],
      CatalogBucketName: [this.catalog.bucketName, 'Bucket of published catalogs: admin catalog --bucket'],
      SealingKeyArn: [this.sealingKey.keyArn, 'The key that signs sealed days: aws kms get-public-key'],
      OperatorPolicyArn: [operator.managedPolicyArn, 'Policy with the permissions of admin, for a role of its users'],
    } as const;
    for (const [name, [value, description]] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value, description });
    }
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Two changes of the pepper invalidate every key, so people make them; provider keys rotate at the provider.',
    });
  }

  #adopted({ tableName }: GatewayConfig): GatewayTable | undefined {
    if (tableName === undefined) return undefined;
    const globalIndexes = tableDefinition.indexes.map(({ name }) => name);
    return TableV2.fromTableAttributes(this, 'Adopted', { tableName, globalIndexes });
  }

  /**
   * Creates a policy for `npm run admin -- --table`, without the commands for e-mail addresses. By default the policy
   * is attached to no principal.
   */
  #addOperatorPolicy(): ManagedPolicy {
    const { pepper, 'provider-keys': providerKeys } = this.secrets;
    const actions = operatorActions.map((action) => `dynamodb:${action}`);
    return new ManagedPolicy(this, 'Operator', {
      description: 'Operates the model gateway from its command line: its table, its secrets and its catalog.',
      statements: [
        new PolicyStatement({ sid: 'Table', actions, resources: [this.table.tableArn] }),
        new PolicyStatement({
          sid: 'Pepper',
          actions: ['secretsmanager:GetSecretValue'],
          resources: [pepper.secretArn],
        }),
        new PolicyStatement({
          sid: 'ProviderKeys',
          actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          resources: [providerKeys.secretArn],
        }),
        new PolicyStatement({
          sid: 'Publication',
          actions: ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject'],
          resources: [publicationIn(this.catalog)],
        }),
        // Without this permission, S3 responds with 403 instead of 404 for a missing object.
        new PolicyStatement({
          sid: 'Publications',
          actions: ['s3:ListBucket', 's3:ListBucketVersions'],
          resources: [this.catalog.bucketArn],
        }),
      ],
    });
  }
}

/**
 * Returns the warm throughput of a table. A new table supports 12,000 reads per second; if more writes are configured,
 * the reads are raised to the same number.
 */
function warmthOf(writeUnitsPerSecond: number) {
  return { readUnitsPerSecond: Math.max(12_000, writeUnitsPerSecond), writeUnitsPerSecond };
}

function stringAttribute(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}
