import type { AwsCall } from '../aws/aws-call.ts';
import { ownIdentity } from '../aws/aws-identity.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { optionalVariable, variables } from '../environment.ts';

/**
 * The calls of SQS.
 * @param queueUrl any queue of the region, whose URL contains the endpoint of SQS
 */
export function openQueueCalls(queueUrl: string): AwsCall {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  const sqs = {
    name: 'sqs',
    target: 'AmazonSQS',
    address: { id: 'SQS', host: 'sqs', isPlainInGovCloud: true },
    // The URLs of an emulator may not be addresses.
    origin: endpoint === undefined ? new URL(queueUrl).origin : undefined,
  };
  return openAwsJson(sqs, { endpoint, identity: ownIdentity });
}
