import { optionalVariable, variables } from '../environment.ts';

const silence = (): void => {};

interface SdkLogger {
  debug: typeof silence;
  info: typeof silence;
  warn: typeof silence;
  error: typeof silence;
}

/**
 * Logger for SDK clients that writes nothing. It has no `info` method. With that method, the SDK would describe every
 * call, which takes longer than serializing the call. Errors are thrown, and logged by the gateway.
 */
export const quietLogger = { debug: silence, warn: silence, error: silence } as unknown as SdkLogger;

/**
 * Timeouts of a call, in ms. A call without a response is abandoned and retried, so that one lost response does not
 * delay the requests that wait for it.
 */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/**
 * Settings of all SDK clients. Clients make only one attempt. A caller that retries must know whether an attempt got no
 * response, and the SDK does not report that.
 */
export const sdkSettings = { maxAttempts: 1, logger: quietLogger, requestHandler: requestTimeouts };

/**
 * Credentials for emulators. All clients have the same key id, because some emulators have a database per key. The
 * secret is different in each run, so that other users of the machine do not know it.
 */
export const localCredentials = {
  accessKeyId: 'local',
  get secretAccessKey(): string {
    return optionalVariable(variables.localSecret) ?? 'local';
  },
};
