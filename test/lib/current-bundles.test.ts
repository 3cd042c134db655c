import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { currentBundles } from '../../lib/aws/current-bundles.ts';

let parent: string;
let catalog: string;
let made: string[];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gateway-bundles-'));
  catalog = join(parent, 'catalog');
  cpSync(shippedCatalogDirectory, catalog, { recursive: true });
  made = [];
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** Stands for the bundling of functions, which takes half a minute. */
async function make(directory: string): Promise<void> {
  made.push(directory);
  await sleep(50);
  mkdirSync(directory, { recursive: true });
}
const current = (makes = make) => currentBundles(join(parent, 'functions'), catalog, makes);

it('bundles of the same sources are made once, also for two concurrent calls', async () => {
  const directories = await Promise.all([current(), current()]);
  directories.push(await current());

  expect(new Set(directories)).toEqual(new Set(made));
  expect(made).toHaveLength(1);
});

it('bundles are made again when the catalog has changed', async () => {
  await current();

  writeFileSync(join(catalog, 'models', 'more.json'), '{"models": [], "aliases": []}');
  await current();

  expect(made).toHaveLength(2);
});

it('bundles are made again when they are gone', async () => {
  const directory = await current();

  rmSync(directory, { recursive: true });
  await current();

  expect(made).toHaveLength(2);
});

it('bundles that could not be made are tried again', async () => {
  await current();
  writeFileSync(join(catalog, 'models', 'more.json'), '{"models": [], "aliases": []}');

  await expect(current(() => Promise.reject(new Error('a mistake in the catalog')))).rejects.toThrow('a mistake');
  rmSync(join(catalog, 'models', 'more.json'));
  await current();

  expect(made).toHaveLength(2);
});
