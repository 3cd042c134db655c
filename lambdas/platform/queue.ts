import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { optionalVariable, requireVariable, variables } from './environment.ts';

/** Sends messages to one queue; resolves when SQS has stored the message. */
export interface QueueSender {
  send(body: string): Promise<void>;
}

export function openFinalizeQueue(): QueueSender {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  const queueUrl = requireVariable(variables.finalizeQueueUrl);
  const client = new SQSClient(
    endpoint ? { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } : {},
  );
  return {
    async send(body) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
    },
  };
}
