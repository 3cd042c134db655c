import type { Plugin } from 'esbuild';
import { functions } from '../../../lambdas/routes.ts';

/** The source of a module that imports these functions of the manifest: a bundler has to see each import. */
export function handlerImports(names: readonly string[]): string {
  const imports = names.map((name) => `${JSON.stringify(name)}: () => import('../${functions[name]!.entry}')`);
  return `const handlers = { ${imports.join(', ')} }; export const importHandler = (name) => handlers[name]();`;
}

/** Bundles these functions, each in files that are loaded when it is. */
export function withHandlers(names: readonly string[]): Plugin {
  return {
    name: 'with-handlers',
    setup(bundler) {
      bundler.onLoad({ filter: /\/server\/import-handler\.ts$/ }, () => ({ contents: handlerImports(names) }));
    },
  };
}
