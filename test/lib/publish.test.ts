import { beforeEach, describe, expect, it } from 'vitest';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { GATEWAY_AUDIT, readAudit } from '../../lambdas/store/accounts/audit.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { KeptPublication, Publications } from '../../lib/admin/catalog/publications.ts';
import { writePublication } from '../../lambdas/catalog/publication.ts';
import { earlierFiles, publish } from '../../lib/admin/catalog/publish.ts';
import { shippedCatalog } from '../support/catalog.ts';
import { newTable } from '../support/table.ts';

const files = readCatalogFiles(shippedCatalog);
let table: Table;
let kept: KeptPublication[];
beforeEach(async () => {
  [table, kept] = [await newTable(), []];
});

/** Returns a storage in memory, with these functions in place of its own. */
const storage = (others: Partial<Publications> = {}): Publications => ({
  latest: () => Promise.resolve(kept.at(-1)),
  list: () => Promise.resolve(kept.toReversed()),
  put(text) {
    kept.push({ id: String(kept.length), text });
    return Promise.resolve(true);
  },
  ...others,
});

const publishing = (publications: Publications, on = table) =>
  publish(
    {
      table: on,
      publications,
      deployed: () => files,
      operator: () => Promise.resolve({ kind: 'operator', id: 'ivan' }),
    },
    { ...files, version: 'next' },
    { action: 'catalog.publish', yes: true },
  );
const audited = async () =>
  (await readAudit(table, GATEWAY_AUDIT, { limit: 9 })).map(({ action }) => action).toSorted();

describe('publishing a catalog', () => {
  it('publishes nothing if the audit entry cannot be written', async () => {
    await expect(publishing(storage(), { ...table, name: 'nowhere' })).rejects.toThrow();

    expect(kept).toEqual([]);
  });

  it('has an audit entry even if the process ends after the publication', async () => {
    const seen: string[][] = [];
    const publications = storage({
      async put() {
        seen.push(await audited());
        return true;
      },
    });
    await publishing(publications);

    expect(seen).toEqual([['catalog.publish']]);
    expect(await audited()).toEqual(['catalog.publish']);
  });

  it('has a second audit entry if the storage fails or another operator was faster', async () => {
    await expect(publishing(storage({ put: () => Promise.reject(new Error('Access Denied')) }))).rejects.toThrow(
      'Access Denied',
    );
    await expect(publishing(storage({ put: () => Promise.resolve(false) }))).rejects.toThrow('Someone else');

    expect(await audited()).toEqual([
      'catalog.publish',
      'catalog.publish',
      'catalog.publish_failed',
      'catalog.publish_failed',
    ]);
  });

  it('succeeds if a repeated write finds its own publication', async () => {
    const publications = storage({
      put(text) {
        kept.push({ id: 'mine', text });
        return Promise.resolve(false);
      },
    });

    expect(await publishing(publications)).toMatchObject({ published: true, after: 'next' });
  });

  it('changes nothing if the catalog is already in force', async () => {
    await publishing(storage());
    expect(await publishing(storage())).toMatchObject({ published: false, before: 'next', after: 'next' });

    expect(kept).toHaveLength(1);
    expect(await audited()).toEqual(['catalog.publish']);
  });
});

/** Stores publications of these versions; undefined stands for the deployed catalog. */
const keep = (...versions: (string | undefined)[]) => {
  kept = versions.map((version, at) => {
    const published = version === undefined ? undefined : { ...files, version };
    const publishedAt = new Date(Date.UTC(2026, 10, at + 1)).toISOString();
    return { id: String(at), text: writePublication({ publishedAt, by: 'ivan', files: published }) };
  });
};

describe('a rollback', () => {
  it.each([
    [['first', 'second', 'second'], 'first'],
    [['first', 'first'], undefined],
    [['first', undefined, 'second', 'second'], undefined],
  ])('of %j returns to another catalog, even if the current one was published twice', async (versions, version) => {
    keep(...versions);

    expect((await earlierFiles(storage(), undefined))?.version).toBe(version);
  });
});
