/**
 * Calls of AWS through its own clients: for everything that no request for a model waits for. It finds credentials wherever AWS'
 * tools do: in the environment, a profile, a session of single sign-on, a container.
 */

import { AwsError, CallTime, NoReplyError, retryTransient, type AwsCall, type CallOptions } from './aws-call.ts';
import { quietLogger, requestTimeouts } from './sdk.ts';

/** A client of the SDK, as far as calls need one. */
interface SdkClient {
  send: (command: never, options: { abortSignal?: AbortSignal }) => Promise<object>;
}

/** What a client's errors are, when the service has answered. */
// oxlint-disable-next-line typescript/no-explicit-any -- an error is made in no other place
type ServiceExceptionClass = abstract new (...args: any[]) => Error;

/** The settings of every client: attempts are repeated by us, who have to know whether one had no reply. */
export const sdkSettings = { maxAttempts: 1, logger: quietLogger, requestHandler: requestTimeouts };

/**
 * The calls of a service by the names of their operations.
 * @param commands the client's commands for them; another operation is a mistake of ours
 * @param Exception the client's own class for what the service has answered
 */
export function openSdkCalls(
  client: SdkClient,
  commands: Record<string, new (input: never) => object>,
  Exception: ServiceExceptionClass,
): AwsCall {
  return async <Output>(operation: string, input: object, options: CallOptions = {}): Promise<Output> => {
    const Command = commands[operation];
    if (!Command) throw new TypeError(`No command is known for the call "${operation}"`);
    const time = new CallTime(options);
    const attempt = async () => {
      try {
        const command = new Command(input as never) as never;
        const output = await client.send(command, time.signal ? { abortSignal: time.signal } : {});
        const { $metadata: _, ...answer } = output as { $metadata?: unknown };
        return answer as Output;
      } catch (error) {
        throw sdkFailure(error as Error, Exception);
      }
    };
    return retryTransient(attempt, time);
  };
}

interface ExceptionDetails {
  $metadata?: { httpStatusCode?: number; clockSkewCorrected?: boolean };
  $response?: { statusCode?: number };
}

/** Tells an answer of the service from a call that had none. */
function sdkFailure(error: Error, Exception: ServiceExceptionClass): Error {
  const { $metadata, $response } = error as ExceptionDetails;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  // The person who calls has to log in, or to name a region: AWS' words say how.
  if (status === undefined && NOBODY.test(error.name)) return error;
  // The SDK has put its clock right: the next attempt is signed by it.
  const wasClockWrong = $metadata?.clockSkewCorrected === true;
  // An answer that is neither the service's own nor a failure of a service comes from something in between.
  const isAnswer = status !== undefined && (status >= 500 || error instanceof Exception);
  if (wasClockWrong || !isAnswer) return new NoReplyError(error.message, error);
  const { name, message, ...details } = error;
  return new AwsError(status, { ...details, __type: name, message });
}

const NOBODY = /^(?:Credentials|Token)ProviderError$/;
