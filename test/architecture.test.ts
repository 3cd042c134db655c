import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const belowInference = [
  'protection',
  'admission',
  'routing',
  'search',
  'decisions',
  'embeddings',
  'providers',
  'accounting',
  'messages',
  'catalog',
  'store',
  'money',
  'platform',
  'resources.ts',
];

/** For each room (directory) under lambdas/, the rooms that it may import. Imports go in one direction. */
const arrows: Record<string, string[]> = {
  money: [],
  platform: [],
  messages: ['money', 'platform'],
  catalog: ['money', 'platform'],
  store: ['money', 'platform', 'catalog'],
  decisions: ['messages', 'platform'],
  embeddings: ['messages', 'platform'],
  'client-apis': ['messages', 'platform'],
  providers: ['decisions', 'embeddings', 'messages', 'catalog', 'platform'],
  search: ['messages', 'catalog', 'money', 'platform'],
  routing: ['providers', 'messages', 'catalog', 'money', 'platform'],
  accounting: ['store', 'money', 'messages', 'catalog', 'platform'],
  books: ['accounting', 'store', 'money', 'catalog', 'platform'],
  statistics: ['store', 'catalog', 'platform'],
  alerts: ['store', 'catalog', 'money', 'platform'],
  admission: ['accounting', 'store', 'money', 'messages', 'catalog', 'platform'],
  protection: ['messages', 'store', 'catalog', 'platform'],
  inference: belowInference,
  management: ['admission', 'alerts', 'store', 'money', 'platform'],
  http: ['admission', 'store', 'money', 'platform', 'resources.ts'],
  workers: [
    'inference',
    'alerts',
    'statistics',
    'books',
    'accounting',
    'routing',
    'catalog',
    'store',
    'platform',
    'resources.ts',
  ],
  api: ['http', 'client-apis', 'books', 'inference', 'management', ...belowInference],
  server: ['api', 'http', 'admission', 'platform'],
};

/** Directories of lib. The programs import `shared`, which imports none of them. */
const programs = readdirSync(join(root, 'lib'));

interface Source {
  path: string;
  text: string;
}

const sources: Source[] = ['bin', 'lib', 'lambdas']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const imports = ({ path, text }: Source): string[] =>
  [...text.matchAll(/(?:from|import) '([^']+)'/g)].map(([, target]) =>
    target!.startsWith('.') ? relative(root, resolve(root, dirname(path), target!)) : target!,
  );

const isForReaders = (path: string) =>
  /^lambdas\/(api\/.*\/(shape|messages-shape|about)|http\/(shapes|about))\.ts$/.test(path);

const roomOf = (path: string) => (path.startsWith('lambdas/') ? path.split('/')[1]! : undefined);

const resourceOf = (path: string) => /^lambdas\/api\/([^/]+)\//.exec(path)?.[1];

/**
 * Names that a file defines outside of its functions, except names that each file of a kind must define, such as
 * `handler`.
 */
const definedNames = ({ text }: Source): string[] => {
  const definitions = text.matchAll(/^(?:export )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm);
  const names = new Set([...definitions].map(([, name]) => name!));
  return [...names].filter((name) => !['handler', 'accepts', 'wholeAnswers'].includes(name));
};

const linesOf = ({ text }: Source): number => text.split('\n').length - 1;

describe('the architecture', () => {
  it('has every room in its list', () => {
    const rooms = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room && !room.endsWith('.ts')));
    expect([...rooms].toSorted()).toEqual(Object.keys(arrows).toSorted());
  });

  it.each(Object.keys(arrows))('lets %s import only rooms below it', (room) => {
    const allowed = new Set([room, ...arrows[room]!, 'route.ts', 'routes.ts']);
    const wrong = sources
      .filter(({ path }) => roomOf(path) === room)
      .flatMap((source) => imports(source).map((target) => ({ from: source.path, target })))
      .filter(({ target }) => target.startsWith('lambdas/') && !allowed.has(roomOf(target)!));
    expect(wrong).toEqual([]);
  });

  it.each(programs)('lets the program lib/%s import no other program', (program) => {
    const wrong = sources
      .filter(({ path }) => path.startsWith(`lib/${program}/`))
      .flatMap((source) => imports(source).map((target) => ({ from: source.path, target })))
      .filter(({ target }) => target.startsWith('lib/') && !new RegExp(`^lib/(${program}|shared)/`).test(target));
    expect(wrong).toEqual([]);
  });

  it('has a drawing with each room once, and no arrow to a higher floor', () => {
    const drawing = readFileSync(join(root, 'docs/pictures/rooms.svg'), 'utf8');
    const floors = drawing.split('<rect class="floor"').slice(1);
    const drawn = floors.flatMap((floor, index) =>
      [...floor.matchAll(/<text class="name"[^>]*>([a-z-]+)</g)].map(([, room]) => [room!, index] as const),
    );
    const floorOf = new Map(drawn);
    const upward = Object.entries(arrows).flatMap(([room, below]) =>
      below.filter((other) => floorOf.get(other)! < floorOf.get(room)!).map((other) => `${room} → ${other}`),
    );

    expect(drawn.map(([room]) => room).toSorted()).toEqual(Object.keys(arrows).toSorted());
    expect(upward).toEqual([]);
  });

  it('keeps runtime code free of deployment code', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('lambdas/'))
      .filter((source) => imports(source).some((target) => /^(aws-cdk-lib|constructs|lib\/|bin\/)/.test(target)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('lets runtime code import only types of the API document', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('lambdas/') && !isForReaders(path))
      .filter(({ path, text }) =>
        imports({ path, text: text.replaceAll(/^import type [^;]*;/gm, '') }).some((target) => isForReaders(target)),
      );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('reads the environment and the clock in one place each', () => {
    const lambdas = sources.filter(({ path }) => path.startsWith('lambdas/'));
    const reading = (pattern: RegExp) => lambdas.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(reading(/process\.env/)).toEqual(['lambdas/platform/environment.ts']);
    expect(reading(/Date\.now\(|new Date\(\)/)).toEqual(['lambdas/platform/clock.ts']);
  });

  it('sets the exit code of a process only in the programs of bin/', () => {
    const setting = sources.filter(({ text }) => /process\.exitCode =/.test(text)).map(({ path }) => path);
    expect(setting.filter((path) => !path.startsWith('bin/'))).toEqual([]);
  });

  it('has the syntax of DynamoDB in one room', () => {
    const words = /lib-dynamodb|client-dynamodb|ConditionExpression|UpdateExpression|TableName/;
    const speaking = sources.filter(({ path, text }) => path.startsWith('lambdas/') && words.test(text));
    expect(new Set(speaking.map(({ path }) => roomOf(path)))).toEqual(new Set(['store']));
  });

  it('keeps the code of searches out of messages without a search: only two files import it', () => {
    const engine = sources.filter(({ path }) => /^lambdas\/inference\/messages\/[^/]+\.ts$/.test(path));
    const knowing = engine.filter((source) => imports(source).some((target) => target.includes('/search/')));
    expect(knowing.map(({ path }) => path)).toEqual([
      'lambdas/inference/messages/open-answer.ts',
      'lambdas/inference/messages/routed-message.ts',
    ]);
  });

  it('limits the types that the path of one message uses', () => {
    const engine = sources.filter(({ path }) => /^lambdas\/inference\/messages\/[^/]+$/.test(path));
    const defined = engine.flatMap(({ text }) =>
      [...text.matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name]) => name!),
    );
    const known = engine.flatMap(({ text }) =>
      [...text.matchAll(/^import (?:type )?\{([^}]+)\}/gm)].flatMap(
        ([, names]) => names!.match(/\b[A-Z][a-z]\w+/g) ?? [],
      ),
    );
    const ofSearches = new Set(['RequestSearch', 'RequestedSearches', 'SearchStage']);
    const types = new Set([...defined, ...known].filter((name) => !ofSearches.has(name)));

    expect(types.size).toBeGreaterThan(30);
    expect(types.size).toBeLessThanOrEqual(46);
  });

  it('has no circular imports', () => {
    const importsOf = new Map(sources.map((source) => [source.path, imports(source)]));
    const isCircular = (path: string) => {
      const seen = new Set<string>();
      const open = [...importsOf.get(path)!];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (next === path) return true;
        if (!seen.has(next)) open.push(...(importsOf.get(next) ?? []));
        seen.add(next);
      }
      return false;
    };
    expect([...importsOf.keys()].filter(isCircular)).toEqual([]);
  });

  it('has no file of more than 400 lines', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['decisions', /^lambdas\/(?:inference\/modalities\/)?decisions/],
    ['embeddings', /^lambdas\/(?:inference\/modalities\/embed|embeddings\/)/],
    ['images', /^lambdas\/inference\/modalities\/image/],
    ['rerank', /^lambdas\/inference\/modalities\/rerank/],
    ['speech', /^lambdas\/inference\/modalities\/speech/],
    ['transcription', /^lambdas\/inference\/modalities\/transcri/],
    ['video', /^lambdas\/inference\/videos\//],
  ])('has at most 400 lines for %s beside its wires, and 200 for each wire', (modality, files) => {
    const sum = sources.filter(({ path }) => files.test(path)).reduce((lines, source) => lines + linesOf(source), 0);
    const wires = sources.filter(({ path }) => path.startsWith(`lambdas/providers/${modality}/`));

    expect(sum).toBeGreaterThan(30);
    expect(sum).toBeLessThanOrEqual(400);
    expect(wires.length).toBeGreaterThan(2);
    expect(wires.filter((source) => linesOf(source) > 200).map(({ path }) => path)).toEqual([]);
  });

  it('runs jobs without importing the modality that declares them', () => {
    const engine = sources.filter(({ path }) => path.startsWith('lambdas/inference/jobs/'));
    const wrong = engine.filter((source) => imports(source).some((target) => /\/videos?\//.test(target)));

    expect(engine.length).toBeGreaterThan(5);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('knows music, which chat models make, in at most eight files', () => {
    const knowing = sources.filter(({ text }) => /music|songs?\b|lyria/i.test(text)).map(({ path }) => path);

    expect(knowing).toContain('lambdas/providers/google-gemini/music.ts');
    expect(knowing.length, knowing.join('\n')).toBeLessThanOrEqual(8);
  });

  it('gives no two exports the same name, so that a search finds one definition', () => {
    // In bundles, some files replace others, so they export the same names.
    const inBundles = ['loadCatalog', 'openTableCalls', 'openQueueCalls'];
    const repeated = new Set(['handler', 'accepts', 'about', 'wholeAnswers', ...inBundles]);
    const exported = sources.flatMap(({ text }) => {
      const names = text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm);
      // The overloads of a function are one export.
      return [...new Set([...names].map(([, name]) => name!))];
    });
    expect(exported.filter((name, index) => exported.indexOf(name) !== index && !repeated.has(name))).toEqual([]);
  });

  it.each([
    { where: 'lambdas', path: /^lambdas\//, maxShare: 0.057 },
    { where: 'lib and bin', path: /^(?:lib|bin)\//, maxShare: 0.03 },
  ])('lets few names in $where have several definitions', ({ path: folders, maxShare }) => {
    const names = sources.filter(({ path }) => folders.test(path)).flatMap(definedNames);
    const files = new Map<string, number>();
    for (const name of names) files.set(name, (files.get(name) ?? 0) + 1);
    const ambiguous = names.filter((name) => files.get(name)! > 1);

    expect(ambiguous.length / names.length).toBeLessThan(maxShare);
  });

  it('has a handler for every entry of the manifest, and no other', async () => {
    const { functions } = await import('../lambdas/routes.ts');
    const handlers = sources.filter(
      ({ path, text }) =>
        path.startsWith('lambdas/') &&
        /^export (const|async function|function) (handler\b|\{ accepts, handler \})/m.test(text),
    );
    expect(handlers.map(({ path }) => path).toSorted()).toEqual(
      Object.values(functions)
        .map(({ entry }) => `lambdas/${entry}`)
        .toSorted(),
    );
  });

  it('runs the tests of every room', () => {
    const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8');
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const rooms = new Set(files.filter((file) => /\/.*\.test\.ts$/.test(file)).map((file) => file.split('/')[0]!));
    expect([...rooms].filter((room) => !config.includes(`'${room}'`) && !config.includes(`test/${room}/`))).toEqual([]);
  });

  it('gives each test that changes its process a process of its own', () => {
    const setsUp =
      /\bvi\.(?:mock|doMock|resetModules|stubEnv)\(|process\.env\[[^\]]+\] =|Object\.assign\(process\.env|\badminHere\(/;
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\/.*\.test\.ts$/.test(file) && !file.startsWith('workers/'))
      .filter((file) => setsUp.test(readFileSync(join(root, 'test', file), 'utf8')));
    expect(files.filter((file) => !file.endsWith('.own.test.ts'))).toEqual([]);
  });

  it('gives no test less time than the common timeout, because a busy machine may be slow', () => {
    const shorter = /^\s*\}, (?:\d{1,2}|1[01]\d)_000\);|^\s*(?:it|describe)\b.*\{ timeout: (?:\d{1,2}|1[01]\d)_000 \}/m;
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    expect(tests.filter((file) => shorter.test(readFileSync(join(root, 'test', file), 'utf8')))).toEqual([]);
  });

  it('reads a page in a browser test until it matches, because a page changes after the action that changed it', () => {
    const readOnce =
      /expect\(\(*await [^;]*\.(?:count|textContent|inputValue|isDisabled|getAttribute|allTextContents)\(/;
    const files = readdirSync(join(root, 'test/journeys')).filter((file) => /^(?:console|browser).*\.ts$/.test(file));
    const lines = files.flatMap((file) =>
      readFileSync(join(root, 'test/journeys', file), 'utf8')
        .split('\n')
        .map((line, at) => (readOnce.test(line) ? `${file}:${at + 1}` : '')),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(lines.filter(Boolean)).toEqual([]);
  });

  it('has no resource of the API that imports another', () => {
    const sideways = sources
      .filter(({ path }) => resourceOf(path) !== undefined)
      .flatMap((source) => imports(source).map((target) => ({ from: source.path, target })))
      .filter(({ from, target }) => ![undefined, 'parts', resourceOf(from)].includes(resourceOf(target)));
    expect(sideways).toEqual([]);
  });
});
