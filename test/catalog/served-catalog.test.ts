import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildCatalog, type Catalog } from '../../lambdas/catalog/catalog.ts';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { writePublication } from '../../lambdas/catalog/publication.ts';
import type { PublicationSource, PublishedText } from '../../lambdas/catalog/publication-source.ts';
import { followPublications } from '../../lambdas/catalog/served-catalog.ts';
import { catalogTripwires } from '../../lambdas/platform/logger.ts';
import { shippedCatalog } from '../support/catalog.ts';

const EVERY_MS = 60_000;
const files = readCatalogFiles(shippedCatalog);
const deployed = buildCatalog({ ...files, version: 'deployed' }, () => undefined);

function following() {
  const now = { ms: 0 };
  const seen: (string | undefined)[] = [];
  let published: PublishedText | 'missing' | Error | 'hanging' = 'missing';
  const source: PublicationSource = {
    everyMs: EVERY_MS,
    async read(knownTag) {
      seen.push(knownTag);
      if (published === 'hanging') return new Promise<never>(() => {});
      if (published instanceof Error) throw published;
      return published !== 'missing' && published.tag === knownTag ? 'unchanged' : published;
    },
  };
  const publish = (version: string | undefined) => {
    const text = writePublication({
      publishedAt: '2026-11-23T12:00:00.000Z',
      by: 'ann',
      files: version === undefined ? undefined : { ...files, version },
    });
    published = { text, tag: `tag of ${version}` };
  };
  const ask: () => Promise<Catalog> = followPublications(
    source,
    () => deployed,
    () => now.ms,
  );
  return {
    seen,
    publish,
    become: (what: typeof published) => (published = what),
    later: (ms: number) => (now.ms += ms),
    versionNow: async () => (await ask()).version,
  };
}

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => vi.restoreAllMocks());

describe('the served catalog', () => {
  it('is the deployed one without a publication', async () => {
    expect(await following().versionNow()).toBe('deployed');
  });

  it('is the published one from the first request of a function on', async () => {
    const served = following();
    served.publish('first');

    expect(await served.versionNow()).toBe('first');
  });

  it('is refreshed during a request, for the next request', async () => {
    const served = following();
    served.publish('first');
    await served.versionNow();
    served.publish('second');
    served.later(EVERY_MS);

    expect(await served.versionNow()).toBe('first');
    expect(await served.versionNow()).toBe('second');
  });

  it('is refreshed once per interval for many concurrent requests, by its ETag', async () => {
    const served = following();
    served.publish('first');
    await Promise.all([served.versionNow(), served.versionNow()]);
    served.later(EVERY_MS - 1);
    await served.versionNow();
    served.later(1);
    await served.versionNow();

    expect(served.seen).toEqual([undefined, 'tag of first']);
  });

  it('is refreshed before an answer after a function was frozen, so that no old price is used', async () => {
    const served = following();
    served.publish('first');
    await served.versionNow();
    served.publish('second');
    served.later(60 * EVERY_MS);

    expect(await served.versionNow()).toBe('second');
  });

  it('is the deployed one again after the publication was withdrawn', async () => {
    const served = following();
    served.publish('first');
    await served.versionNow();
    served.publish(undefined);
    served.later(2 * EVERY_MS);

    expect(await served.versionNow()).toBe('deployed');
  });

  it.each([
    ['cannot be read', new Error('away')],
    ['is not a catalog', { text: '{}', tag: 'bad' }],
  ])('stays the last valid one while the publication %s, and each refresh logs the reason', async (_what, bad) => {
    const served = following();
    served.publish('first');
    await served.versionNow();
    served.become(bad);
    served.later(2 * EVERY_MS);
    await served.versionNow();
    served.later(2 * EVERY_MS);

    expect(await served.versionNow()).toBe('first');
    expect(lines.filter((line) => line.includes(catalogTripwires.publishedUnused))).toHaveLength(2);
    served.publish('second');
    served.later(2 * EVERY_MS);
    expect(await served.versionNow()).toBe('second');
  });

  it('is the deployed one in a function that starts while the publication is unreadable', async () => {
    const served = following();
    served.become(new Error('away'));

    expect(await served.versionNow()).toBe('deployed');
    expect(lines.join('')).toContain(catalogTripwires.publishedUnused);
  });

  it('waits at most two seconds for the publication', async () => {
    const served = following();
    served.become('hanging');
    const beganMs = performance.now();

    expect(await served.versionNow()).toBe('deployed');
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });

  it('is refreshed also if the clock is set back', async () => {
    const served = following();
    served.publish('first');
    await served.versionNow();
    served.publish('second');
    served.later(-EVERY_MS);

    expect(await served.versionNow()).toBe('second');
  });
});
