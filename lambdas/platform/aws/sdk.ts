import { optionalVariable, variables } from '../environment.ts';

const silence = (): void => {};

interface SdkLogger {
  debug: typeof silence;
  info: typeof silence;
  warn: typeof silence;
  error: typeof silence;
}

/**
 * Logger for clients of AWS's SDK that writes nothing. The logger has no method `info`: with one, the SDK would
 * describe every call for the log, which is slow.
 */
export const quietLogger = { debug: silence, warn: silence, error: silence } as unknown as SdkLogger;

/** Timeouts of one attempt of a call, in ms. They are short, because callers retry. */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/**
 * Settings for clients of AWS's SDK that make only one attempt. Code that retries must know whether an attempt got no
 * response, and the SDK does not report that.
 */
export const sdkSettings = { maxAttempts: 1, logger: quietLogger, requestHandler: requestTimeouts };

/**
 * Credentials for emulators of AWS services. All clients use the same key id, because some emulators have a separate
 * database for each key id.
 */
export const localCredentials = {
  accessKeyId: 'local',
  get secretAccessKey(): string {
    return optionalVariable(variables.localSecret) ?? 'local';
  },
};
