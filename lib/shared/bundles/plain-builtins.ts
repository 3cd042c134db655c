import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Plugin that gets Node's modules from `process.getBuiltinModule` instead of importing them. An import reads each
 * property of the module, and some properties are getters that load large parts of Node. The plugin leaves getters out,
 * except for `lateExports`. If code imports another getter, the build fails and names the getter.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(bundler) {
    bundler.onResolve({ filter: /^[a-z_0-9/:]+$/ }, ({ path, kind }) => {
      const isBuiltin = path.startsWith('node:') || builtinModules.includes(path);
      const name = path.replace('node:', '');
      if (isBuiltin && kind === 'import-statement') return { path: name, namespace: 'builtin' };
      // For example, AWS's SDK imports `node:http` dynamically.
      if (isBuiltin && kind === 'dynamic-import') return { path: name, namespace: 'whole-builtin' };
      return undefined;
    });
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: sourceOf(path) }));
    bundler.onLoad({ filter: /.*/, namespace: 'whole-builtin' }, ({ path }) => ({
      contents: `module.exports = ${builtinExpression(path)};`,
    }));
  },
};

/** Replacements of exports that are getters. They read the getter only when they are used. */
const lateExports: Record<string, Record<string, string>> = {
  fs: {
    ReadStream:
      'class ReadStream { static [Symbol.hasInstance](value) { return value instanceof builtin.ReadStream; } }',
    promises: 'const promises = new Proxy({}, { get: (_, name) => builtin.promises[name] });',
  },
  async_hooks: { AsyncLocalStorage: 'function AsyncLocalStorage() { return new builtin.AsyncLocalStorage(); }' },
  net: { BlockList: 'function BlockList() { return new builtin.BlockList(); }' },
  crypto: { getRandomValues: 'const getRandomValues = (array) => builtin.getRandomValues(array);' },
  'stream/web': {
    ReadableStream:
      'class ReadableStream { static [Symbol.hasInstance](value) { return value instanceof globalThis.ReadableStream; } }',
  },
  worker_threads: {
    Worker: `function Worker(...args) { return new (${builtinExpression('worker_threads')}.Worker)(...args); }`,
  },
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Returns an expression for a module. Some modules, such as `node:sqlite`, have no name without the prefix. */
function builtinExpression(name: string): string {
  return `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`;
}

function sourceOf(name: string): string {
  const late = lateExports[name] ?? {};
  const exported = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`)))
    .filter(([property, about]) => !('get' in about) && property !== 'default' && IDENTIFIER.test(property))
    .filter(([property]) => !Object.hasOwn(late, property))
    .map(([property]) => `export const ${property} = /* @__PURE__ */ (() => builtin.${property})();`);
  return [
    `const builtin = /* @__PURE__ */ ${builtinExpression(name)};`,
    ...exported,
    ...Object.values(late).map((declaration) => `export ${declaration}`),
    'export default builtin;',
  ].join('\n');
}
