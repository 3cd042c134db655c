/** The table through AWS' own client. */

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AwsCall } from '../../platform/aws/aws-call.ts';
import type { AwsIdentity } from '../../platform/aws/aws-identity.ts';
import { localCredentials } from '../../platform/aws/sdk.ts';
import { openSdkCalls, sdkSettings } from '../../platform/aws/sdk-calls.ts';
import type { Table } from './table.ts';

const tableCommands = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

/** A table, and who asks for it: the region and the credentials as AWS' tools find them. */
export interface SdkTable extends Table {
  identity: AwsIdentity;
}

/** @param options.endpoint of an emulator */
export function openSdkTable({ name, endpoint }: { name: string; endpoint?: string | undefined }): SdkTable {
  const client = sdkClient(endpoint);
  const { credentials, region } = client.config;
  return { name, endpoint, call: openSdkTableCalls(client), identity: { credentials, region } };
}

/** @param endpoint of an emulator, which takes any signature */
export function sdkClient(endpoint?: string): DynamoDBClient {
  return new DynamoDBClient({
    ...sdkSettings,
    ...(endpoint === undefined ? {} : { endpoint, region: 'local', credentials: localCredentials }),
  });
}

/** The calls of the store, made by the SDK. */
export function openSdkTableCalls(client: DynamoDBClient): AwsCall {
  return openSdkCalls(client, tableCommands, DynamoDBServiceException);
}
