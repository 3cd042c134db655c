import type { AwsCall } from '../../platform/aws/aws-call.ts';
import { ownIdentity } from '../../platform/aws/aws-identity.ts';
import { openAwsJson } from '../../platform/aws/aws-json.ts';

const DYNAMODB = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  address: { id: 'DynamoDB', host: 'dynamodb', isPlainInGovCloud: true },
};

/**
 * The calls of functions, signed by us. In the bundles of functions that no request for a model waits for, table-calls-sdk.ts stands
 * in the place of this file.
 * @param endpoint of an emulator
 */
export function openTableCalls(endpoint: string | undefined): AwsCall {
  return openAwsJson(DYNAMODB, { endpoint, identity: ownIdentity });
}
