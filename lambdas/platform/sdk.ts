/**
 * A logger for SDK clients that hears nothing. The SDK describes every call for `info`, which costs more than the call's
 * own serialisation; without that method it does not. What goes wrong is thrown, and logged by us.
 */
const silence = (): void => {};

interface SdkLogger {
  debug: typeof silence;
  info: typeof silence;
  warn: typeof silence;
  error: typeof silence;
}

export const quietLogger = { debug: silence, warn: silence, error: silence } as unknown as SdkLogger;

/** A call that hears nothing is given up and tried again: one lost reply must not hold up whoever waits behind it. */
export const requestTimeouts = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** For emulators, which ask for some and believe any. One key for all clients: it names the database to some of them. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };
