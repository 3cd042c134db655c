import type { AwsCall } from '../aws/aws-call.ts';
import { ownIdentity } from '../aws/aws-identity.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { optionalVariable, variables } from '../environment.ts';

/**
 * Returns the function that calls SQS.
 * @param queueUrl URL of any queue of the region, whose origin is the endpoint of SQS
 */
export function openQueueCalls(queueUrl: string): AwsCall {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  const sqs = {
    name: 'sqs',
    target: 'AmazonSQS',
    address: { id: 'SQS', host: 'sqs', isPlainInGovCloud: true },
    // The URLs of an emulator's queues may not be reachable addresses. So the emulator's endpoint is used.
    origin: endpoint === undefined ? new URL(queueUrl).origin : undefined,
  };
  return openAwsJson(sqs, { endpoint, identity: ownIdentity });
}
