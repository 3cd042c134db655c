/**
 * Values of the data stack, for the API stack. CloudFormation looks up the output of another stack once for each use,
 * and hundreds of lookups exceed its rate limit: https://github.com/aws/aws-cdk/issues/38010. So a nested stack gets
 * each output once, as a parameter, and returns it to the other templates of the API stack.
 */

import { CfnOutput, CfnParameter, CfnWaitConditionHandle, NestedStack, type Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { SecretName } from '../../lambdas/route.ts';
import type { GatewayConfig } from './config.ts';
import type { DataStack, GatewayTable } from './data-stack.ts';

export interface DataValues {
  table: GatewayTable;
  secrets: Record<SecretName, Pick<Secret, 'secretArn'>>;
  sealingKey: Pick<Key, 'keyArn'>;
  catalog: Pick<Bucket, 'arnForObjects' | 'bucketArn' | 'bucketName'>;
}

/** Adds the nested stack, and returns the resources with the values that it returns. */
export function readData(
  stack: Stack,
  { table, secrets, sealingKey, catalog }: DataStack,
  { tableName }: Pick<GatewayConfig, 'tableName'>,
): DataValues {
  const isTableAdopted = tableName !== undefined;
  const values = {
    ...(isTableAdopted ? {} : { TableArn: table.tableArn, TableName: table.tableName }),
    PepperArn: secrets.pepper.secretArn,
    ProviderKeysArn: secrets['provider-keys'].secretArn,
    SealingKeyArn: sealingKey.keyArn,
    CatalogArn: catalog.bucketArn,
    CatalogName: catalog.bucketName,
  };
  const own = new NestedStack(stack, 'Data', {
    description: 'Model gateway: values of the data stack',
    parameters: values,
  });
  // A template needs a resource, and a wait condition handle costs nothing.
  new CfnWaitConditionHandle(own, 'Handle');
  const read = (name: string): string => {
    const { valueAsString } = new CfnParameter(own, name);
    new CfnOutput(own, `${name}Value`, { value: valueAsString });
    return own.nestedStackResource!.getAtt(`Outputs.${name}Value`).toString();
  };
  const catalogArn = read('CatalogArn');
  return {
    table: isTableAdopted ? table : tableOf(read('TableArn'), read('TableName')),
    secrets: { pepper: { secretArn: read('PepperArn') }, 'provider-keys': { secretArn: read('ProviderKeysArn') } },
    sealingKey: { keyArn: read('SealingKeyArn') },
    catalog: {
      bucketArn: catalogArn,
      bucketName: read('CatalogName'),
      arnForObjects: (key) => `${catalogArn}/${key}`,
    },
  };
}

function tableOf(tableArn: string, tableName: string): GatewayTable {
  return {
    tableArn,
    tableName,
    metric: (metricName, options) =>
      new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: tableName }, ...options }),
  };
}
