/**
 * Replaces `lib/local/server-bundle.ts` in the gateway bundle for tests. Each gateway with a server would need two
 * seconds of CPU to bundle the server. Therefore the test run bundles it once, with the shipped catalog.
 */

import { makeServerBundle as makeOwnServerBundle, type ServerBundle } from '../../lib/local/server-bundle.ts';
import { isOffered, onDemand } from './on-demand.ts';

/** Name by which gateways request the bundle of the server. They get its program as a path. */
export const BUNDLED_SERVER = 'bundled-server';

export async function makeServerBundle(catalogDirectory: string | undefined): Promise<ServerBundle> {
  if (catalogDirectory !== undefined || !isOffered()) return makeOwnServerBundle(catalogDirectory);
  return { program: await onDemand<string>(BUNDLED_SERVER), remove: () => undefined };
}
