/**
 * The table through AWS' own client: for the operator's commands, and for what is set up on a laptop. Nobody waits for a token
 * there, so its size and its CPU do not matter, and it finds credentials wherever AWS' tools do: in the environment, a profile, a
 * session of single sign-on, a container.
 */

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
import type { AwsIdentity } from '../platform/aws-identity.ts';
import { AwsError, NoReplyError, retryTransient, type AwsCall, type CallOptions } from '../platform/aws-call.ts';
import { localCredentials, quietLogger, requestTimeouts } from '../platform/sdk.ts';
import type { Table } from './table.ts';

const commands = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

/** Any of them, as TypeScript sees one; the calls of the store have the types of each. */
type AnyCommand = new (input: object) => GetItemCommand;

/** A table, and who asks for it: the region and the credentials as AWS' tools find them. */
export interface SdkTable extends Table {
  identity: AwsIdentity;
}

/** @param options.endpoint of an emulator */
export function openSdkTable({ name, endpoint }: { name: string; endpoint?: string | undefined }): SdkTable {
  const client = sdkClient(endpoint);
  const { credentials, region } = client.config;
  return { name, endpoint, call: openSdkCalls(client), identity: { credentials, region } };
}

/** @param endpoint of an emulator, which takes any signature */
export function sdkClient(endpoint?: string): DynamoDBClient {
  return new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint, region: 'local', credentials: localCredentials }),
    // Repeated by us, who have to know whether an attempt had no reply.
    maxAttempts: 1,
    logger: quietLogger,
    requestHandler: requestTimeouts,
  });
}

/** The calls of the store, made by the SDK. */
export function openSdkCalls(client: DynamoDBClient): AwsCall {
  return async <Output>(operation: string, input: object, { timeoutMs }: CallOptions = {}): Promise<Output> => {
    const Command = commands[operation as keyof typeof commands] as unknown as AnyCommand | undefined;
    if (!Command) throw new TypeError(`The store makes no call "${operation}"`);
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const attempt = async () => {
      try {
        const { $metadata: _, ...output } = await client.send(
          new Command(input),
          signal ? { abortSignal: signal } : {},
        );
        return output as Output;
      } catch (error) {
        throw failureOf(error as Error);
      }
    };
    return retryTransient(attempt, signal);
  };
}

/** Tells an answer of the service from a call that had none. */
function failureOf(error: Error): Error {
  const { $metadata, $response } = error as Partial<DynamoDBServiceException>;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  // The person who calls has to log in, or to name a region: AWS' words say how.
  if (status === undefined && NOBODY.test(error.name)) return error;
  // The SDK has put its clock right: the next attempt is signed by it.
  const wasClockWrong = ($metadata as { clockSkewCorrected?: boolean } | undefined)?.clockSkewCorrected === true;
  // An answer that is neither DynamoDB's own nor a failure of a service comes from something in between.
  const isAnswer = status !== undefined && (status >= 500 || error instanceof DynamoDBServiceException);
  if (wasClockWrong || !isAnswer) return new NoReplyError(error.message, error);
  const { name, message, ...details } = error;
  return new AwsError(status, { ...details, __type: name, message });
}

const NOBODY = /^(?:Credentials|Token)ProviderError$/;
