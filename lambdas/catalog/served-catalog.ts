/**
 * The catalog for requests: the published catalog or, without a publication, the deployed one.
 *
 * Guarantee: a publication applies to all requests that begin at least two refresh intervals later (two minutes on
 * AWS), unless it cannot be read. A request keeps its catalog, but its prices may change until it is sent
 * (dispatched-prices.ts).
 *
 * Weakness: if the publication is unreadable, invalid or slow, the last valid catalog stays in use, or the deployed one
 * in an environment that has just started. Each failed refresh logs a line that raises an alarm.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../platform/clock.ts';
import { optionalVariable } from '../platform/environment.ts';
import { catalogTripwires, describeError, log } from '../platform/logger.ts';
import { once } from '../platform/concurrency/once.ts';
import { refreshed } from '../platform/concurrency/refreshing-value.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { CatalogError } from './catalog-error.ts';
import { loadCatalog } from './load.ts';
import { readPublication } from './publication.ts';
import { openPublicationSource, type PublicationSource } from './publication-source.ts';

/** Maximum time in ms that a request waits for a refresh. */
const MAX_WAIT_MS = 2_000;

/**
 * Reads the deployed catalog once.
 * @throws {CatalogError} as `loadCatalog` does
 */
export const deployedCatalog = once(() => loadCatalog());

const open = once(() => followPublications(openPublicationSource(), deployedCatalog));

/** Returns the current catalog. Call this once per request, and keep the result for the whole request. */
export function servedCatalog(): Promise<Catalog> {
  return open()();
}

/** Returns the ids of all providers of the current catalog. */
export async function servedProviderIds(): Promise<readonly string[]> {
  return (await servedCatalog()).providerIds;
}

interface Known {
  tag: string | undefined;
  catalog: Catalog;
  atMs: number;
}

/**
 * Follows the publications of a source.
 * @param deployed returns the catalog to use if nothing is published
 * @returns a function that returns the current catalog, and waits only if the known catalog is too old or there is none
 */
export function followPublications(
  { read, everyMs }: PublicationSource,
  deployed: () => Catalog,
  now: () => number = nowMs,
): () => Promise<Catalog> {
  let known: Known | undefined;

  async function look(): Promise<void> {
    try {
      const published = await read(known?.tag);
      if (published === 'unchanged') known!.atMs = now();
      else if (published === 'missing') known = { tag: undefined, catalog: deployed(), atMs: now() };
      else known = { tag: published.tag, catalog: catalogOf(published.text), atMs: now() };
    } catch (error) {
      const reason = error instanceof CatalogError ? { reason: error.message } : describeError(error);
      log('error', catalogTripwires.publishedUnused, reason);
    }
  }

  function catalogOf(text: string): Catalog {
    const { files } = readPublication(text);
    return files ? buildCatalog(files, optionalVariable) : deployed();
  }

  function isTooOld({ atMs }: Known): boolean {
    const ageMs = now() - atMs;
    return ageMs >= 2 * everyMs || ageMs < 0;
  }

  const { refresh } = refreshed(look, { name: 'published catalog', everyMs, nowMs: now });
  return async () => {
    const looking = refresh();
    if (!known || isTooOld(known)) await Promise.race([looking, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return (known?.catalog ?? deployed()).at(now());
  };
}
