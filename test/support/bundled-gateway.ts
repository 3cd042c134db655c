/**
 * The gateway of `npm start` in a few files instead of a thousand modules. It does the same, because it is made of the same
 * sources for each run; and it starts in half the time, which the tests' hundred gateways would spend on reading modules.
 */

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { functions } from '../../lambdas/routes.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Beside the packages, so that what is left out of the bundle is found. */
const directory = join(project, 'node_modules', '.cache', 'bundled-gateway');
const local = 'lib/local';
const programs = { workers: `${local}/workers-main.ts`, aws: `${local}/aws-server.ts` };

/** Names the bundled gateway to the processes of the tests. */
export const BUNDLED_GATEWAY = 'GATEWAY_BUNDLED_FOR_TESTS';

/** A program's name still tells whose process it is: a data directory is asked for that. */
function bundled(source: string): string {
  return join(directory, `${source}.mjs`);
}

const handlers = Object.entries(functions)
  .map(([name, { entry }]) => `${JSON.stringify(name)}: () => import(${JSON.stringify(`./lambdas/${entry}`)})`)
  .join(',');

/** What names files of the sources at run time, and what takes its place. */
const replaced: Record<string, string> = {
  [`${local}/handlers.ts`]: `const handlers = {${handlers}}; export const importHandler = (name) => handlers[name]();`,
  [`${local}/programs.ts`]: `export const programs = ${JSON.stringify({ workers: bundled(programs.workers), aws: bundled(programs.aws) })};`,
};

/** Sources find the files beside them where they are, whatever file their code is in now. */
const asFromSources: Plugin = {
  name: 'as-from-sources',
  setup(bundler) {
    const ours = new RegExp(`^${RegExp.escape(project)}/?(?:bin|lib|lambdas)/.*\\.ts$`);
    bundler.onLoad({ filter: ours }, ({ path }) => {
      const contents = replaced[relative(project, path)];
      if (contents !== undefined) return { contents, loader: 'js', resolveDir: project };
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' };
    });
  },
};

/** Bundles the gateway. @returns its program */
export async function bundleGateway(): Promise<string> {
  const entry = 'bin/local.ts';
  await build({
    entryPoints: [entry, ...Object.values(programs)].map((source) => join(project, source)),
    outbase: project,
    outdir: directory,
    outExtension: { '.js': '.ts.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    keepNames: true,
    // CommonJS parts of dependencies load Node's own modules with require, which ES modules do not have.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    external: ['@aws-sdk/credential-provider-http', 'esbuild'],
    plugins: [asFromSources],
    logLevel: 'error',
  });
  return bundled(entry);
}
