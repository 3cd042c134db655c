import { SQSClient } from '@aws-sdk/client-sqs';
import { optionalVariable, variables } from './environment.ts';
import { localCredentials, quietLogger, requestTimeouts } from './sdk.ts';

/** The SDK's client of SQS, or of its emulator at the endpoint that the environment names. */
export function openSqs(): SQSClient {
  const endpoint = optionalVariable(variables.sqsEndpoint);
  return new SQSClient({
    logger: quietLogger,
    requestHandler: requestTimeouts,
    ...(endpoint ? { endpoint, region: 'us-east-1', credentials: localCredentials } : {}),
  });
}
