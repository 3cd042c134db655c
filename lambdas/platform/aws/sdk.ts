import { optionalVariable, variables } from '../environment.ts';

const silence = (): void => {};

interface SdkLogger {
  debug: typeof silence;
  info: typeof silence;
  warn: typeof silence;
  error: typeof silence;
}

/**
 * A logger for SDK clients that writes nothing. The SDK describes every call for `info`, which costs more than the call's
 * own serialisation; without that method it does not. Errors are thrown, and logged by us.
 */
export const quietLogger = { debug: silence, warn: silence, error: silence } as unknown as SdkLogger;

/** A call without a reply is given up and retried: one lost reply must not hold up the requests that wait for it. */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/**
 * The settings of every client of the SDK. One attempt: a caller that repeats has to know whether an attempt had no reply, and
 * the SDK does not say.
 */
export const sdkSettings = { maxAttempts: 1, logger: quietLogger, requestHandler: requestTimeouts };

/**
 * For emulators. One key for all clients: some emulators keep a database per key. The secret is that of one run, so that
 * other users of the machine do not know it.
 */
export const localCredentials = {
  accessKeyId: 'local',
  get secretAccessKey(): string {
    return optionalVariable(variables.localSecret) ?? 'local';
  },
};
