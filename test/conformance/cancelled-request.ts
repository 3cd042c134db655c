import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { finalGeneration, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

const SLOW_MS = 20_000;
/** Directive with which the sandbox waits before it answers. */
export const SLOW = `\n@sandbox first=${SLOW_MS}`;

/**
 * Cancels a request after the gateway has placed its hold, and checks that the gateway cancels its own request, charges
 * nothing, and releases the hold. No other request of the account may be running.
 * @param send sends a request with `SLOW` in its text
 * @returns the client's error; undefined if the client reports none
 */
export async function cancelBeforeOutput(
  gateway: GatewayClient,
  send: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  await eventually(async () => expect(await pendingIds(gateway)).toHaveLength(0));
  const leaving = new AbortController();
  const failure = send(leaving.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const [id] = await eventually(async () => {
    const ids = await pendingIds(gateway);
    expect(ids).toHaveLength(1);
    return ids as [string];
  });
  leaving.abort();

  const generation = await finalGeneration(gateway, id);
  const aborted = expect.objectContaining({ failure: 'aborted', total_cost: 0 }) as object;
  expect(generation).toMatchObject({ ending: 'client_left', total_cost: 0, provider_responses: [aborted] });
  expect(generation['provider_ms']).toBeLessThan(SLOW_MS);
  expect((await manage(gateway, 'GET', '/credits')).body).toMatchObject({ data: { held: 0 } });
  return failure;
}

async function pendingIds(gateway: GatewayClient): Promise<string[]> {
  const { body } = await manage(gateway, 'GET', '/generations?status=pending');
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}
