import { GatewayError } from '../../lambdas/platform/errors.ts';

/**
 * Returns the GatewayError of a call.
 * @throws {Error} if the call succeeds or fails for another reason
 */
export function refused(read: () => unknown): GatewayError {
  let result: unknown;
  try {
    result = read();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error(`It was not refused: ${JSON.stringify(result)}`);
}

/**
 * Returns the GatewayError of an asynchronous call.
 * @throws {Error} if the call succeeds or fails for another reason
 */
export async function refusedLater(read: () => Promise<unknown>): Promise<GatewayError> {
  const result = await read().catch((error: unknown) => error);
  if (result instanceof GatewayError) return result;
  if (result instanceof Error) throw result;
  throw new Error(`It was not refused: ${JSON.stringify(result)}`);
}
