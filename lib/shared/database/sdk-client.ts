import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localCredentials, sdkSettings } from '../../../lambdas/platform/aws/sdk.ts';

/**
 * Creates the SDK's DynamoDB client.
 * @param endpoint URL of an emulator, which accepts any signature
 */
export function sdkClient(endpoint?: string): DynamoDBClient {
  return new DynamoDBClient({
    ...sdkSettings,
    ...(endpoint === undefined ? {} : { endpoint, region: 'local', credentials: localCredentials }),
  });
}
