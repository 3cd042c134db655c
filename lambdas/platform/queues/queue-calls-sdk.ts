import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { AwsCall } from '../aws/aws-call.ts';
import { optionalVariable, variables } from '../environment.ts';
import { localCredentials } from '../aws/sdk.ts';
import { openSdkCalls, sdkSettings } from '../aws/sdk-calls.ts';

const sqsCommands = {
  ChangeMessageVisibilityBatch: ChangeMessageVisibilityBatchCommand,
  GetQueueAttributes: GetQueueAttributesCommand,
  SendMessageBatch: SendMessageBatchCommand,
};

/** The same as in queue-calls.ts, through AWS' own client, which goes to the URL of each queue. */
export function openQueueCalls(_queueUrl: string): AwsCall {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  const local = endpoint ? { endpoint, region: 'us-east-1', credentials: localCredentials } : {};
  const client = new SQSClient({ ...sdkSettings, ...local, useQueueUrlAsEndpoint: endpoint === undefined });
  return openSdkCalls(client, sqsCommands, SQSServiceException);
}
