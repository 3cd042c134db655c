/**
 * Bundles the gateway and the operator's commands into a few files, which halves the startup time of test processes.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { writeChecked } from '../../lambdas/catalog/checked.ts';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { functions } from '../../lambdas/routes.ts';
import { handlerImports, requireBanner, withoutZodLocales } from '../../lib/shared/bundles/bundle.ts';
import { plainBuiltins } from '../../lib/shared/bundles/plain-builtins.ts';
import { bundled, bundleDirectory, checkedCatalogFile, entries } from './programs.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const local = 'lib/local';
const programs = {
  workers: `${local}/workers-main.ts`,
  guard: 'lib/shared/database/guard-main.ts',
  server: `${local}/server-main.ts`,
  aws: `${local}/aws-server.ts`,
};
const bundledPrograms = Object.fromEntries(Object.entries(programs).map(([name, source]) => [name, bundled(source)]));

/** Modules that locate source files at run time, with code that replaces them. */
const replaced: Record<string, string> = {
  'lambdas/server/import-handler.ts': handlerImports(Object.keys(functions)),
  [`${local}/programs.ts`]: `export const programs = ${JSON.stringify(bundledPrograms)};`,
  'lib/shared/database/guard-program.ts': `export const guardProgram = ${JSON.stringify(bundledPrograms['guard'])};`,
};

/** Files of the gateway, with the files of this folder that replace them and may import them. */
const replacements: Record<string, string> = {
  'lambdas/catalog/load.ts': 'once-checked-catalog.ts',
  [`${local}/server-bundle.ts`]: 'once-bundled-server.ts',
};

const withReplacements: Plugin = {
  name: 'with-replacements',
  setup(bundler) {
    const names = Object.keys(replacements).map((file) => RegExp.escape(file.split('/').at(-1)!));
    bundler.onResolve({ filter: new RegExp(`/(?:${names.join('|')})$`) }, ({ path, resolveDir, importer }) => {
      const replacement = replacements[relative(project, join(resolveDir, path))];
      if (replacement === undefined) return undefined;
      const file = join(import.meta.dirname, replacement);
      return importer === file ? undefined : { path: file };
    });
  },
};

/** Lets bundled code find files next to its original source. */
const asFromSources: Plugin = {
  name: 'as-from-sources',
  setup(bundler) {
    const ours = new RegExp(`^${RegExp.escape(project)}/?(?:bin|lib|lambdas|test/support)/.*\\.ts$`);
    bundler.onLoad({ filter: ours }, ({ path }) => {
      const contents = replaced[relative(project, path)];
      if (contents !== undefined) return { contents, loader: 'js' };
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};

export async function bundleGateway(): Promise<void> {
  await build({
    entryPoints: [...entries, ...Object.values(programs)].map((source) => join(project, source)),
    outbase: project,
    outdir: bundleDirectory,
    outExtension: { '.js': '.ts.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    keepNames: true,
    banner: { js: requireBanner },
    external: ['@aws-sdk/credential-provider-http', '@duckdb/node-api', 'esbuild'],
    plugins: [withReplacements, asFromSources, withoutZodLocales, plainBuiltins],
    logLevel: 'error',
  });
  writeFileSync(checkedCatalogFile, writeChecked(readCatalogFiles(shippedCatalogDirectory)));
}
