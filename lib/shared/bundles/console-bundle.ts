import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ConsoleFiles } from '../../../lambdas/api/console/built-files.ts';

const consoleDirectory = fileURLToPath(new URL('../../console/', import.meta.url));

/** Bundles the console for browsers: one script and one style sheet. */
export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: { app: `${consoleDirectory}main.tsx` },
    outdir: consoleDirectory,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome125', 'firefox135', 'safari18.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  const text = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))!.text;
  return { 'app.js': text('app.js'), 'app.css': text('app.css') };
}
