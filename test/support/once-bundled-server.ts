/**
 * Replaces `lib/local/server-bundle.ts` in the gateway bundle for tests. The test run bundles the server once with the
 * shipped catalog, because each bundle needs seconds of CPU time.
 */

import { makeServerBundle as makeOwnServerBundle, type ServerBundle } from '../../lib/local/server-bundle.ts';
import { isOffered, onDemand } from './on-demand.ts';

/** Gateways request the path of the bundled server by this name. */
export const BUNDLED_SERVER = 'bundled-server';

export async function makeServerBundle(catalogDirectory: string | undefined): Promise<ServerBundle> {
  if (catalogDirectory !== undefined || !isOffered()) return makeOwnServerBundle(catalogDirectory);
  return { program: await onDemand<string>(BUNDLED_SERVER), remove: () => undefined };
}
