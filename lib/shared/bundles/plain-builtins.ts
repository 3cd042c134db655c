import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Plugin that gets Node's modules from `process.getBuiltinModule` instead of importing them. An import reads each
 * property of the module, and some properties are getters that load large parts of Node: `node:http` loads undici with
 * HTTP/2, and `node:crypto` loads Web Crypto. The plugin leaves getters out, except for the replacements below. If code
 * imports another getter, the build fails and names the getter.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(bundler) {
    bundler.onResolve({ filter: /^[a-z_0-9/:]+$/ }, ({ path, kind }) => {
      const isBuiltin = path.startsWith('node:') || builtinModules.includes(path);
      const name = path.replace('node:', '');
      if (isBuiltin && kind === 'import-statement') return { path: name, namespace: 'builtin' };
      // An example is AWS's SDK, which imports `node:http` dynamically when a client sends its first request.
      if (isBuiltin && kind === 'dynamic-import') return { path: name, namespace: 'whole-builtin' };
      return undefined;
    });
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: sourceOf(path) }));
    bundler.onLoad({ filter: /.*/, namespace: 'whole-builtin' }, ({ path }) => ({
      contents: `module.exports = ${builtinExpression(path)};`,
    }));
  },
};

/** Replacements for getters that dependencies import. A replacement reads the getter only when it is used. */
const getterExports: Record<string, string> = {
  fs: [
    'export class ReadStream { static [Symbol.hasInstance](value) { return value instanceof builtin.ReadStream; } }',
    'export const promises = new Proxy({}, { get: (_, name) => builtin.promises[name] });',
  ].join('\n'),
  async_hooks: 'export function AsyncLocalStorage() { return new builtin.AsyncLocalStorage(); }',
  net: 'export function BlockList() { return new builtin.BlockList(); }',
  crypto: 'export const getRandomValues = (array) => builtin.getRandomValues(array);',
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Returns an expression for a module of Node. Some modules, such as `node:sqlite`, have no name without the prefix. */
const builtinExpression = (name: string) => `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`;

function sourceOf(name: string): string {
  const exported = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(`node:${name}`)))
    .filter(([property, about]) => !('get' in about) && property !== 'default' && IDENTIFIER.test(property))
    .map(([property]) => `export const ${property} = /* @__PURE__ */ (() => builtin.${property})();`);
  return [
    `const builtin = ${builtinExpression(name)};`,
    ...exported,
    getterExports[name] ?? '',
    'export default builtin;',
  ].join('\n');
}
