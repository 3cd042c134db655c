import { optionalVariable, variables } from '../environment.ts';

const silence = (): void => {};

interface SdkLogger {
  debug: typeof silence;
  info: typeof silence;
  warn: typeof silence;
  error: typeof silence;
}

/**
 * A logger for SDK clients that writes nothing. The SDK describes every call for `info`, which costs more than the
 * call's own serialization, but not if that method is missing. Errors are thrown, and logged by us.
 */
export const quietLogger = { debug: silence, warn: silence, error: silence } as unknown as SdkLogger;

/**
 * A call without a reply is abandoned and retried, so that one lost reply does not delay the requests that wait for it.
 */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/**
 * Settings of all SDK clients. One attempt: a caller that retries must know whether an attempt had no reply, and the
 * SDK does not report it.
 */
export const sdkSettings = { maxAttempts: 1, logger: quietLogger, requestHandler: requestTimeouts };

/**
 * Credentials for emulators. All clients share one key, because some emulators keep a database per key. The secret
 * belongs to one run, so that other users of the machine do not know it.
 */
export const localCredentials = {
  accessKeyId: 'local',
  get secretAccessKey(): string {
    return optionalVariable(variables.localSecret) ?? 'local';
  },
};
