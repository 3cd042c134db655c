import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import type { FunctionSpec } from '../../../lambdas/route.ts';
import { writeChecked } from '../../../lambdas/catalog/checked.ts';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { shippedCatalogDirectory } from '../../../lambdas/catalog/load.ts';
import { functions } from '../../../lambdas/routes.ts';
import { servedNames } from '../../../lambdas/server/served-routes.ts';
import { buildConsole } from './console-bundle.ts';
import { plainBuiltins } from './plain-builtins.ts';

const lambdasDirectory = fileURLToPath(new URL('../../../lambdas/', import.meta.url));

/**
 * Code at the beginning of each bundle. CommonJS parts of dependencies load Node's built-in modules with `require`,
 * which ES modules do not have.
 */
export const requireBanner = `const require = process.getBuiltinModule('module').createRequire(import.meta.url);`;

/** Matches zod's names of formats that no schema of the gateway has. */
const UNUSED_NAMES = /^ {8}(?!(?:email|url|uuid|datetime|date|time|duration|regex|nan):)\w+: ".*",$/gm;

/**
 * Plugin that removes zod's messages in dozens of languages, which are a large part of a bundle. The gateway needs only
 * English, which zod loads by itself.
 */
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

/**
 * Plugin that removes zod's conversion to JSON Schema. Functions never describe schemas: the API document is generated
 * from the sources beforehand.
 */
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

/** Exports of the ID3 reader that are not functions, with their values. */
const tagParts: Record<string, string> = { ID3_V2_HEADER_SIZE: '10' };

/**
 * Plugin that removes the reader of ID3 tags in the library mediabunny. The gateway reads MP3 without the library, and
 * the library gets no other recording that begins with an ID3 tag.
 */
const withoutSongTags: Plugin = {
  name: 'without-song-tags',
  setup(bundler) {
    bundler.onLoad({ filter: /\/mediabunny\/.*\/id3\.js$/ }, ({ path }) => {
      const exported = readFileSync(path, 'utf8').matchAll(/^export (?:const|class|var) (\w+)/gm);
      const lines = Array.from(exported, ([, name]) => `export const ${name} = ${tagParts[name!] ?? '() => null'};`);
      return { contents: lines.join('\n') };
    });
  },
};

/** Matches zod's error messages about mistakes in schemas, which tests find before the build. */
const SCHEMA_MISTAKE = /(?<=throw new Error\()"[^"\n]*"(?=\))/g;
/**
 * Matches zod's methods such as `z.string().email()`. Each of them would keep a class and a regular expression in the
 * bundle. Schemas use functions such as `z.email()` instead.
 */
const STRING_FORMAT = /^ {4}\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},$/gm;

/** Plugin that removes parts of zod that functions do not need. Fewer classes also make a cold start faster. */
const withoutUnusedZod: Plugin = {
  name: 'without-unused-zod',
  setup(bundler) {
    bundler.onLoad({ filter: /\/zod\/v4\/(?:core|classic)\/\w+\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(SCHEMA_MISTAKE, '').replaceAll(STRING_FORMAT, ''),
    }));
  },
};

/** Plugin that removes texts of billing units, which only the console, tools, the API document and FOCUS exports need. */
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

/** Matches the description of a field, if it is a literal; and the end of `meta`, if there are no other properties. */
const DESCRIPTION = /(\.meta\(\{\s*description:\s*)('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)(,?\s*\}\))?/g;

/**
 * Plugin that removes descriptions of fields, which only the API document needs. For the source maps, lines keep their
 * numbers.
 */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  setup(bundler) {
    bundler.onLoad({ filter: /\/lambdas\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        DESCRIPTION,
        (match, start: string, literal: string, end?: string) =>
          end === undefined ? `${start}''${linesOf(literal)}` : linesOf(match),
      ),
    }));
  },
};

/** Returns the line breaks of a text. */
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

/**
 * Plugin that adds a catalog to functions, validated during the build. A mistake in the catalog makes the build fail,
 * and cold starts need no time for the validation.
 */
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

/** Plugin that makes each function of the server a separate file. A file is loaded when its function is first used. */
const withServedHandlers: Plugin = {
  name: 'with-served-handlers',
  setup(bundler) {
    bundler.onLoad({ filter: /\/server\/import-handler\.ts$/ }, () => ({ contents: handlerImports(servedNames) }));
  },
};

export interface Bundle {
  /**
   * Directory with one folder per function. The folder contains index.mjs and the files that the function reads at run
   * time.
   */
  directory: string;
  /** Size of each function's index.mjs in bytes. */
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
  // Source maps have only names and lines, which stack traces need. With the source text, the maps would be nearly
  // three times as large. With function names, the code would be a tenth larger; the maps already contain the names.
  sourcesContent: false,
  banner: { js: requireBanner },
  // Only containers load this package, at their first call to AWS. The Lambda runtime includes the SDK as well.
  external: ['@aws-sdk/credential-provider-http'],
  charset: 'utf8',
  plugins: [
    withoutZodLocales,
    withoutJsonSchema,
    withoutUnusedZod,
    withoutSongTags,
    withCheckedCatalog,
    withoutUnitTexts,
    withoutDescriptions,
    withoutSignedEvents,
  ],
  legalComments: 'none',
  logLevel: 'error',
} satisfies BuildOptions;

/**
 * Bundles every function of the manifest, with the parts of the SDK that the function uses, so that the deployed code
 * is the tested code. A bundled SDK also starts faster than the SDK of the Lambda runtime.
 * @param catalogDirectory replaces the catalog that comes with the code
 * @param entries functions by name, with files relative to lambdas/
 * @throws {CatalogError} if the catalog has a mistake, which would make deployed functions fail
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
    entryPoints: Object.entries(entries).map(([name, { entry }]) => ({
      in: join(lambdasDirectory, entry),
      out: `${name}/index`,
    })),
    outdir: directory,
    metafile: true,
    plugins: [withoutRareParts, withLazyParts, plainBuiltins, ...options.plugins],
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

/** Writes the files of the console into the folder of the function that serves them. */
async function writeConsole(functionDirectory: string): Promise<void> {
  mkdirSync(join(functionDirectory, 'console'));
  for (const [name, text] of Object.entries(await buildConsole()))
    writeFileSync(join(functionDirectory, 'console', name), text);
}

/**
 * Files that run in worker threads, as separate bundles, so that a function loads a file only when it starts the
 * thread.
 */
const threads = [
  { of: 'lambdas/admission/prompt/local-count.ts', entry: 'admission/prompt/o200k-worker.ts' },
  { of: 'lambdas/protection/sensitive-data.ts', entry: 'protection/protection-worker.ts' },
];

/**
 * Files that few requests need, as separate bundles that functions load with `import()`. Such a bundle has its own
 * copies of the modules that it imports, so none of these modules may have state, or classes that are compared with
 * `instanceof`.
 */
const rareParts = [
  { of: 'lambdas/protection/sensitive-data.ts', entry: 'protection/protect-texts.ts' },
  { of: 'lambdas/inference/recordings/read-recording.ts', entry: 'inference/recordings/packet-seconds.ts' },
  { of: 'lambdas/search/backends/open.ts', entry: 'search/backends/kinds.ts' },
];

/** Plugin that excludes `rareParts` from the bundles of functions, which import the separate bundles. */
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
 * Files that functions need only after a failure or for few requests, as separate bundles. A function loads such a
 * bundle synchronously, at the first call of the bundle's function `call`. Like the modules of `rareParts`, these
 * modules may have no state, and no classes that are compared with `instanceof`.
 */
const lazyParts = [
  { of: 'lambdas/providers/faults/stated-error.ts', entry: 'providers/faults/stated-error.ts', call: 'statedError' },
  { of: 'lambdas/providers/faults/classify.ts', entry: 'providers/faults/classify.ts', call: 'classifyError' },
  {
    of: 'lambdas/providers/faults/retry-after.ts',
    entry: 'providers/faults/retry-after.ts',
    call: 'retryAfterSeconds',
  },
  {
    of: 'lambdas/providers/faults/overflow-message.ts',
    entry: 'providers/faults/overflow-message.ts',
    call: 'overflowMessage',
  },
  { of: 'lambdas/catalog/similar-model.ts', entry: 'catalog/similar-model.ts', call: 'similarModel' },
  { of: 'lambdas/client-apis/chat/items.ts', entry: 'client-apis/chat/items.ts', call: 'callOfItems' },
];

/** Plugin that replaces the modules in `lazyParts` by functions that load them. */
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

/** File name of the server's program in its bundle. */
export const SERVER_PROGRAM = 'index.mjs';

/**
 * Bundles the server: all routes that it serves, in one directory. Rarely used parts are separate files, which are
 * loaded when they are first used.
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
    // A container has no SDK of its own, so the bundle includes the package that fetches the credentials of the
    // container's role.
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
 * Bundles files that functions load when they first need them, without source maps. Because of the tokenizer's
 * vocabulary, the map of its thread would be a megabyte. Stack traces of these files are not mapped, but keep function
 * names.
 * @param files source files by output path
 */
async function bundleMore(directory: string, files: Record<string, string>): Promise<void> {
  await build({
    ...options,
    sourcemap: false,
    // Without a source map, only this option keeps function names in stack traces.
    keepNames: true,
    entryPoints: Object.entries(files).map(([out, entry]) => ({ in: join(lambdasDirectory, entry), out })),
    outdir: directory,
  });
}

if (import.meta.main) {
  const { directory, bytes } = await bundleFunctions('.build/functions');
  for (const [name, size] of Object.entries(bytes)) {
    process.stdout.write(`${name.padEnd(24)} ${(size / 1024).toFixed(0).padStart(6)} KB\n`);
  }
  process.stdout.write(`in ${directory}\n`);
  process.stdout.write(`the server in ${await bundleServer('.build/server')}\n`);
}
