import type { AwsCall } from '../aws/aws-call.ts';
import { ownIdentity } from '../aws/aws-identity.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { optionalVariable, variables } from '../environment.ts';

/** Returns the function that calls SQS. `queueUrl` may be any queue in the region, because only its host is used. */
export function openQueueCalls(queueUrl: string): AwsCall {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  const sqs = {
    name: 'sqs',
    target: 'AmazonSQS',
    address: { id: 'SQS', host: 'sqs', isPlainInGovCloud: true },
    // An emulator may give its queues URLs that cannot be reached.
    origin: endpoint === undefined ? new URL(queueUrl).origin : undefined,
  };
  return openAwsJson(sqs, { endpoint, identity: ownIdentity });
}
