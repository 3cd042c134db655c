import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import type { FunctionSpec } from '../../../lambdas/route.ts';
import { writeChecked } from '../../../lambdas/catalog/checked.ts';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { shippedCatalogDirectory } from '../../../lambdas/catalog/load.ts';
import { functions, routes, UNKNOWN_ROUTE, type RouteName } from '../../../lambdas/routes.ts';
import { servedNames } from '../../../lambdas/server/served-routes.ts';
import { toolArguments } from '../tool-arguments.ts';
import { buildConsole } from './console-bundle.ts';
import { plainBuiltins } from './plain-builtins.ts';
import { withoutUnusedParts } from './unused-parts.ts';

const lambdasDirectory = fileURLToPath(new URL('../../../lambdas/', import.meta.url));

/** CommonJS parts of dependencies load Node's built-in modules with `require`, which ES modules do not have. */
export const requireBanner = `const require = process.getBuiltinModule('module').createRequire(import.meta.url);`;

/** Matches zod's names of formats that the gateway does not use. */
const UNUSED_NAMES = /^ {8}(?!(?:email|url|uuid|datetime|date|time|duration|regex|nan):)\w+: ".*",$/gm;

/** Plugin that removes zod's messages in languages other than English. */
export const withoutZodLocales: Plugin = {
  name: 'without-zod-locales',
  setup(bundler) {
    bundler.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/zod/') ? { path: 'locales', namespace: 'no-locales' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'no-locales' }, () => ({ contents: 'export {};' }));
    bundler.onLoad({ filter: /\/zod\/v4\/locales\/en\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(UNUSED_NAMES, ''),
    }));
  },
};

/** Plugin that removes zod's conversion to JSON Schema. Functions never describe schemas. */
const withoutJsonSchema: Plugin = {
  name: 'without-json-schema',
  setup(bundler) {
    bundler.onLoad({ filter: /\/zod\/v4\/core\/(?:json-schema-processors|to-json-schema)\.js$/ }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm);
      const refusal = `const refuse = () => { throw new Error('Functions are bundled without JSON Schema'); };`;
      const lines = Array.from(exported, ([, name]) => `export const ${name} = refuse;`);
      return { contents: [refusal, ...lines].join('\n') };
    });
  },
};

const tagParts: Record<string, string> = { ID3_V2_HEADER_SIZE: '10' };

/** Plugin that removes the reader of ID3 tags in the library mediabunny. The gateway reads MP3 without the library. */
const withoutId3Tags: Plugin = {
  name: 'without-id3-tags',
  setup(bundler) {
    bundler.onLoad({ filter: /\/mediabunny\/.*\/id3\.js$/ }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export (?:const|class|var) (\w+)/gm);
      const lines = Array.from(exported, ([, name]) => `export const ${name} = ${tagParts[name!] ?? '() => null'};`);
      return { contents: lines.join('\n') };
    });
  },
};

/** Plugin that removes parts of zod, Smithy and Middy that functions do not need. */
const withoutUnusedLibraryParts: Plugin = {
  name: 'without-unused-library-parts',
  setup(bundler) {
    bundler.onLoad(
      { filter: /\/(?:zod\/v4\/(?:core|classic)|submodules\/serde\/[\w-]+|@middy\/core)\/\w+\.js$/ },
      ({ path }) => ({ contents: withoutUnusedParts(readFileSync(path, 'utf8')) }),
    );
  },
};

/** Plugin that removes texts of billing units. */
const withoutUnitTexts: Plugin = {
  name: 'without-unit-texts',
  setup(bundler) {
    bundler.onLoad({ filter: /\/catalog\/billing-units\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll(/^ *priced:\s*'(?:[^'\\]|\\.)*',/gm, linesOf)
        .replaceAll(/^ *(?:(?:label|focus): \{.*\}|shownAs: '.*'),/gm, ''),
    }));
  },
};

/** Matches the literal description of a field, and the end of `meta` if there are no other properties. */
const DESCRIPTION =
  /(\.meta\(\{\s*description:\s*)('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)(,?\s*\}\))?/g;

/** Matches properties of JSON Schema that replace those of a field. */
const OVERRIDE = /\.meta\(\{\s*override:\s*\{[^()]*\},?\s*\}\)/g;

/** Plugin that removes descriptions of fields. For the source maps, lines keep their numbers. */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  setup(bundler) {
    bundler.onLoad({ filter: /\/lambdas\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll(DESCRIPTION, (match, start: string, literal: string, end?: string) =>
          end === undefined ? `${start}''${linesOf(literal)}` : linesOf(match),
        )
        .replaceAll(OVERRIDE, linesOf),
    }));
  },
};

function linesOf(text: string): string {
  return text.replaceAll(/[^\n]/g, '');
}

/** Plugin that removes the signing of event streams from the library that signs requests to AWS. */
const withoutSignedEvents: Plugin = {
  name: 'without-signed-events',
  setup(bundler) {
    bundler.onLoad({ filter: /\/@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/ }, () => ({
      contents: 'export class HeaderFormatter {}',
    }));
  },
};

/** Plugin that replaces the catalog's loader by one for a catalog that was validated during the build. */
const withCheckedCatalog: Plugin = {
  name: 'with-checked-catalog',
  setup(bundler) {
    bundler.onResolve({ filter: /\/load\.ts$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      return file.endsWith('/catalog/load.ts') ? { path: file.replace(/load\.ts$/, 'load-checked.ts') } : undefined;
    });
  },
};

/**
 * Returns the source of a module that imports these functions of the manifest. The imports are literal, because a
 * bundler must find each function.
 */
export function handlerImports(names: readonly string[]): string {
  const imports = names.map((name) => `${JSON.stringify(name)}: () => import('../${functions[name]!.entry}')`);
  return `const handlers = { ${imports.join(', ')} }; export const importHandler = (name) => handlers[name]();`;
}

/** Plugin that makes each function of the server a separate file, loaded at its first use. */
const withServedHandlers: Plugin = {
  name: 'with-served-handlers',
  setup(bundler) {
    bundler.onLoad({ filter: /\/server\/import-handler\.ts$/ }, () => ({ contents: handlerImports(servedNames) }));
  },
};

/**
 * Plugin that replaces the manifest in each function by the function's own route, which is all that it reads. The
 * function for unknown routes has all routes. The entry point of a function is a module that sets these routes before
 * it loads the handler.
 */
const withOwnRoutes = (entries: Record<string, Pick<FunctionSpec, 'entry'>>): Plugin => ({
  name: 'with-own-routes',
  setup(bundler) {
    const resolveDir = lambdasDirectory;
    bundler.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'entry-point' ? { path, namespace: 'function' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'function' }, ({ path }) => ({
      contents: `import 'routes-of:${path}'; export * from ${JSON.stringify(`./${entries[path]!.entry}`)};`,
      resolveDir,
    }));
    bundler.onResolve({ filter: /^routes-of:/ }, ({ path }) => ({ path, namespace: 'routes' }));
    bundler.onLoad({ filter: /.*/, namespace: 'routes' }, ({ path }) => {
      const name = path.slice('routes-of:'.length);
      const own = name === UNKNOWN_ROUTE ? routes : { [name]: routes[name as RouteName] };
      return {
        contents: `import { routes } from './routes.ts'; Object.assign(routes, ${JSON.stringify(own)});`,
        resolveDir,
      };
    });
    bundler.onLoad({ filter: /\/lambdas\/routes\.ts$/ }, () => ({ contents: 'export const routes = {};' }));
  },
});

export interface Bundle {
  /** Has one folder per function, with index.mjs and the files that the function reads at run time. */
  directory: string;
  bytes: Record<string, number>;
}

const options = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: 'linked',
  // Source maps need only names and lines for stack traces.
  sourcesContent: false,
  banner: { js: requireBanner },
  // Only containers load this package, at their first call to AWS.
  external: ['@aws-sdk/credential-provider-http'],
  charset: 'utf8',
  plugins: [
    withoutZodLocales,
    withoutJsonSchema,
    withoutUnusedLibraryParts,
    withoutId3Tags,
    withCheckedCatalog,
    withoutUnitTexts,
    withoutDescriptions,
    withoutSignedEvents,
  ],
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions;

/**
 * Bundles the functions of the manifest, with the parts of the SDK that they use.
 * @param catalogDirectory replaces the catalog that comes with the code
 * @throws {CatalogError} if the catalog has a mistake
 * @throws {Error} if the code cannot be bundled
 */
export async function bundleFunctions(
  outputDirectory: string,
  catalogDirectory: string = shippedCatalogDirectory,
  entries: Record<string, Pick<FunctionSpec, 'entry'>> = functions,
): Promise<Bundle> {
  const catalog = writeChecked(readCatalogFiles(catalogDirectory));
  const directory = resolve(outputDirectory);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { metafile } = await build({
    ...options,
    entryPoints: Object.keys(entries).map((name) => ({ in: name, out: `${name}/index` })),
    outdir: directory,
    metafile: true,
    plugins: [withOwnRoutes(entries), withoutRareParts, withLazyParts, plainBuiltins, ...options.plugins],
  });
  const bytes: Record<string, number> = {};
  const moreFiles: Record<string, string> = {};
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (file.endsWith('.map')) continue;
    const name = file.split('/').at(-2)!;
    bytes[name] = output.bytes;
    const contains = (source: string) => Object.keys(output.inputs).some((input) => input.endsWith(source));
    if (contains('lambdas/catalog/load-checked.ts')) writeFileSync(join(directory, name, 'catalog.json'), catalog);
    if (contains(consoleReader)) await writeConsole(join(directory, name));
    for (const { of, entry } of [...threads, ...rareParts, ...lazyParts])
      if (contains(of)) moreFiles[`${name}/${basename(entry, '.ts')}`] = entry;
    writeFileSync(join(directory, name, 'package.json'), '{"type":"module"}\n');
  }
  await bundleMore(directory, moreFiles);
  return { directory, bytes };
}

const consoleReader = 'lambdas/api/console/built-files.ts';

async function writeConsole(functionDirectory: string): Promise<void> {
  mkdirSync(join(functionDirectory, 'console'));
  for (const [name, text] of Object.entries(await buildConsole()))
    writeFileSync(join(functionDirectory, 'console', name), text);
}

/** Files that run in worker threads, as separate bundles. */
const threads = [
  { of: 'lambdas/admission/prompt/local-count.ts', entry: 'admission/prompt/o200k-worker.ts' },
  { of: 'lambdas/protection/sensitive-data.ts', entry: 'protection/protection-worker.ts' },
];

/**
 * Files that few requests need, as separate bundles that functions load with `import()`. Each bundle has its own
 * copies of the modules that it imports, so none of these modules may have state, or classes that are compared with
 * `instanceof`.
 */
const rareParts = [
  { of: 'lambdas/protection/sensitive-data.ts', entry: 'protection/protect-texts.ts' },
  { of: 'lambdas/inference/recordings/read-recording.ts', entry: 'inference/recordings/packet-seconds.ts' },
  { of: 'lambdas/search/backends/open.ts', entry: 'search/backends/kinds.ts' },
];

const withoutRareParts: Plugin = {
  name: 'without-rare-parts',
  setup(bundler) {
    const names = rareParts.map(({ entry }) => basename(entry, '.ts'));
    bundler.onResolve({ filter: new RegExp(`/(?:${names.join('|')})\\.ts$`) }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${basename(path, '.ts')}.mjs`, external: true } : undefined,
    );
  },
};

/**
 * Files that few requests need, as separate bundles that are loaded synchronously at the first call of `call`. Like the
 * modules of `rareParts`, they may have no state, and no classes that are compared with `instanceof`.
 */
const lazyParts = Object.entries({
  'providers/faults/stated-error.ts': 'statedError',
  'providers/faults/classify.ts': 'classifyError',
  'providers/faults/retry-after.ts': 'retryAfterSeconds',
  'providers/faults/overflow-message.ts': 'overflowMessage',
  'catalog/similar-model.ts': 'modelHint',
  'client-apis/chat/items.ts': 'callOfItems',
  'client-apis/converted-parts.ts': 'convertedParts',
  'client-apis/responses/tool-search.ts': 'foundToolsText',
  'messages/middle-out.ts': 'middleOut',
  'providers/anthropic/claude-schema.ts': 'strictSchema',
  'providers/google-gemini/gemini-schema.ts': 'geminiSchema',
  'providers/translated/typed-schema.ts': 'typedSchema',
  'search/cited-text.ts': 'citedText',
  'search/excerpt.ts': 'excerpt',
}).map(([entry, call]) => ({ of: `lambdas/${entry}`, entry, call }));

const withLazyParts: Plugin = {
  name: 'with-lazy-parts',
  setup(bundler) {
    for (const { of, entry, call } of lazyParts) {
      // esbuild would bundle a literal call of `require`.
      const load = `process.getBuiltinModule('module').createRequire(import.meta.url)`;
      const file = `"./${basename(entry, '.ts')}.mjs"`;
      const contents = `let part; export const ${call} = (...args) => (part ??= ${load}(${file})).${call}(...args);`;
      bundler.onLoad({ filter: new RegExp(`/${of}$`) }, () => ({ contents }));
    }
  },
};

export const SERVER_PROGRAM = 'index.mjs';

/**
 * Bundles the server, with all routes that it serves.
 * @param catalogDirectory replaces the catalog that comes with the code
 * @returns the directory, which needs nothing but Node
 * @throws {CatalogError} if the catalog has a mistake
 */
export async function bundleServer(
  outputDirectory: string,
  catalogDirectory: string = shippedCatalogDirectory,
): Promise<string> {
  const catalog = writeChecked(readCatalogFiles(catalogDirectory));
  const directory = resolve(outputDirectory);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  await build({
    ...options,
    splitting: true,
    // This plugin comes first, because the first plugin that loads a file decides its content.
    plugins: [withServedHandlers, ...options.plugins],
    // A container has no SDK of its own, so the bundle contains it.
    external: [],
    entryPoints: [{ in: join(lambdasDirectory, 'server/main.ts'), out: basename(SERVER_PROGRAM, '.mjs') }],
    outdir: directory,
  });
  writeFileSync(join(directory, 'catalog.json'), catalog);
  await writeConsole(directory);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}\n');
  await bundleMore(directory, Object.fromEntries(threads.map(({ entry }) => [basename(entry, '.ts'), entry])));
  return directory;
}

/**
 * Bundles files that functions load when they first need them, without source maps, which could be large.
 * @param files source files by output path
 */
async function bundleMore(directory: string, files: Record<string, string>): Promise<void> {
  await build({
    ...options,
    sourcemap: false,
    // Without a source map, this option keeps function names in stack traces.
    keepNames: true,
    entryPoints: Object.entries(files).map(([out, entry]) => ({ in: join(lambdasDirectory, entry), out })),
    outdir: directory,
  });
}

if (import.meta.main) {
  toolArguments('Usage: npm run bundle\n\nBundles all functions and the server, and prints the sizes.', {});
  const { directory, bytes } = await bundleFunctions('.build/functions');
  for (const [name, size] of Object.entries(bytes)) {
    process.stdout.write(`${name.padEnd(24)} ${(size / 1024).toFixed(0).padStart(6)} KB\n`);
  }
  process.stdout.write(`in ${directory}\n`);
  process.stdout.write(`the server in ${await bundleServer('.build/server')}\n`);
}
