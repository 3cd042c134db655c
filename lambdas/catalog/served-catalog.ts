/**
 * The catalog that requests are served by: the published one, which is looked for beside requests, else the one that was
 * deployed.
 *
 * Guarantee: a request that begins two looks after a publication (two minutes on AWS) is served by it, also in a function that was
 * frozen or has just started; a request keeps to the catalog that it began with.
 * Weakness: where the publication cannot be read, or is none, the last good catalog stays in force, for a function that has just
 * started the deployed one. Its prices are then older than the operator wants, though told, billed and recorded alike; each look
 * that fails writes a line that has an alarm.
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

/** Longer than any look takes while S3 answers. */
const MAX_WAIT_MS = 2_000;

/** The catalog that was deployed; it is read once. @throws {CatalogError} as `loadCatalog` does */
export const deployedCatalog = once(() => loadCatalog());

const open = once(() => followPublications(openPublicationSource(), deployedCatalog));

/** The catalog that is in force now. A request asks once, and keeps to the answer. */
export function servedCatalog(): Promise<Catalog> {
  return open()();
}

/** The ids of all its providers. */
export async function servedProviderIds(): Promise<readonly string[]> {
  return (await servedCatalog()).providerIds;
}

interface Known {
  tag: string | undefined;
  catalog: Catalog;
  atMs: number;
}

/**
 * @param deployed the catalog that is in force where nothing is published
 * @returns a way to ask for the catalog that is in force; it waits only where what is known is too old to be told
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
    return known?.catalog ?? deployed();
  };
}
