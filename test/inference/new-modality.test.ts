/**
 * Adds a modality by the recipe of CONTRIBUTING.md to a copy of the sources, compiles the copy, and sends requests to
 * it.
 */

import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finalGeneration, get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

const run = promisify(execFile);
const project = resolve(import.meta.dirname, '../..');
const fixture = join(project, 'test/fixtures/new-modality');

const newFiles = readdirSync(fixture, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts.txt'))
  .map((file) => file.replace(/\.txt$/, ''));

/** Each line is inserted before a text of its file. */
const added: Record<string, [before: string, line: string]> = {
  'lambdas/catalog/wires.ts': [
    '} as const satisfies Record<string, WireFacts>',
    `'toy-scores': { auth: 'bearer', answers: 'scores' },`,
  ],
  'lambdas/catalog/quirk-schemas.ts': ['} as const satisfies Record<string, z.ZodObject>', `'toy-scores': none,`],
  'lambdas/modality-rows.ts': [
    '} as const satisfies Record<string, ModalityRow>',
    `scores: { one: 'scores', paths: ['/scores'], isListed: true, answering: {} },`,
  ],
};
const sandboxModels = 'lambdas/catalog/data/models/sandbox.json';
/** These changes are only needed if no model has the output modality yet. */
const newOutput: typeof added = { 'lambdas/catalog/modality.ts': ['] as const', `'scores',`] };

const scorer = {
  id: 'sandbox/scorer',
  permaslug: 'sandbox/scorer-20261120',
  name: 'Sandbox Scorer',
  description: 'Scores texts.',
  created: '2026-11-20',
  context_length: 8_192,
  input_modalities: ['text'],
  output_modalities: ['scores'],
  supported_parameters: [],
  endpoints: [
    {
      id: 'sandbox/scorer',
      provider: 'sandbox-openai',
      upstream_model: 'scorer',
      wire: 'toy-scores',
      context_length: 8_192,
      pricing: { prompt: '0.00002', completion: '0' },
    },
  ],
};

let copy: string;
let gateway: RunningGateway;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'new-modality-'));
  for (const name of ['bin', 'lib', 'lambdas', 'package.json', 'tsconfig.json']) {
    cpSync(join(project, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  for (const file of newFiles) cpSync(join(fixture, `${file}.txt`), join(copy, file), { recursive: true });
  for (const [file, [before, line]] of Object.entries({ ...added, ...newOutput })) {
    change(file, (text) => text.replace(before, `  ${line}\n${before}`));
  }
  change(sandboxModels, (text) => {
    const catalog = JSON.parse(text) as { models: object[] };
    return JSON.stringify({ ...catalog, models: [...catalog.models, scorer] });
  });
  await run(process.execPath, ['lib/openapi/write.ts'], { cwd: copy });
  gateway = await startGateway({ program: join(copy, 'bin/local.ts'), args: ['--web'] });
});

afterAll(async () => {
  await gateway?.stop();
  rmSync(copy, { recursive: true, force: true });
});

function change(file: string, edited: (text: string) => string): void {
  const before = readFileSync(join(copy, file), 'utf8');
  const after = edited(before);
  if (after === before) throw new Error(`Nothing was changed in ${file}`);
  writeFileSync(join(copy, file), after);
}

interface Scored {
  id: string;
  results: { index: number; score: number }[];
  usage: { total_tokens: number; cost: number };
  error: { code: number; message: string; param: string };
}

const body = { model: 'sandbox/scorer', query: 'parcel', texts: ['My parcel is late.', 'Hello!'] };

async function score(more: object = {}, key = gateway.key, at = gateway.baseUrl): Promise<Scored> {
  const response = await post({ ...gateway, baseUrl: at }, '/scores', { ...body, ...more }, { 'x-api-key': key });
  return (await response.json()) as Scored;
}

async function keyWith(settings: object): Promise<string> {
  const { body: created } = await manage(gateway, 'POST', '/keys', { name: 'scores', ...settings });
  return (created as { key: string }).key;
}

describe('the recipe for a new modality', () => {
  const recipe = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8')
    .split('### Add a modality\n')[1]!
    .split('\n### ')[0]!;
  const [created, changed] = ['| New', '| Changed'].map((heading) => {
    const rows = recipe.split(`\n${heading}`)[1]!.split('\n\n')[0]!.split('\n').slice(2);
    return rows.flatMap((row) => expanded(/`([^`]+)`/.exec(row)![1]!));
  }) as [string[], string[]];

  it('names at most eight new files and four changed ones, which this test uses', () => {
    const named = created.map((file) => file.replaceAll('rerank', 'scores').replace('<wire>', 'toy'));
    expect(named.toSorted()).toEqual(newFiles.toSorted());
    expect(changed.toSorted()).toEqual([...Object.keys(added), sandboxModels].toSorted());
    expect(created.length).toBeLessThanOrEqual(8);
    expect(changed.length).toBeLessThanOrEqual(4);
  });

  it('names files that exist for embeddings', () => {
    const files = created.map((file) => file.replaceAll('rerank', 'embeddings').replace('<wire>', 'openai'));
    expect([...files, ...changed].filter((file) => !existsSync(join(project, file)))).toEqual([]);
  });
});

function expanded(pattern: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(',').map((name) => `${before}${name}${after}`);
}

describe('a modality that follows the recipe', () => {
  it('compiles', { timeout: 400_000 }, async () => {
    const tsconfig = { extends: './tsconfig.json', include: ['lambdas', 'lib/openapi', 'lib/local/sandbox'] };
    writeFileSync(join(copy, 'tsconfig.copy.json'), JSON.stringify(tsconfig));
    const compiler = join(copy, 'node_modules/.bin/tsc');

    // One checker is enough: several checkers would infer the same types again.
    const compiled = run(compiler, ['--noEmit', '--checkers', '1', '--project', 'tsconfig.copy.json'], { cwd: copy });

    await expect(compiled).resolves.toMatchObject({ stdout: '' });
  });

  it('answers with its cost, which its record also has', async () => {
    const { id, results, usage } = await score();

    expect(results).toEqual([
      { index: 0, score: 1 },
      { index: 1, score: 0 },
    ]);
    expect(usage).toEqual({ total_tokens: 20, cost: expect.closeTo(0.0004, 12) as number });
    expect(await finalGeneration(gateway, id)).toMatchObject({
      api_type: 'scores',
      model: 'sandbox/scorer',
      total_cost: usage.cost,
      finish_reason: 'stop',
    });
  });

  it('is answered by a server, too', async () => {
    expect(await score({}, gateway.key, gateway.webUrl)).toMatchObject({ usage: { total_tokens: 20 } });
  });

  it('is refused if its cost could exceed the limit of its key', async () => {
    expect(await score({}, await keyWith({ limit: 0 }))).toMatchObject({ error: { code: 402 } });
  });

  it('refuses a wrong body by its field, and models of other kinds', async () => {
    expect(await score({ texts: [] })).toMatchObject({ error: { code: 400, param: 'texts' } });
    expect(await score({ model: 'sandbox/embedder' })).toMatchObject({
      error: { code: 400, message: expect.stringContaining('makes embeddings, not scores') as string },
    });
  });

  it('sends no protected value to a provider', async () => {
    const address = { query: '@', texts: ['Write to ann@example.com.'] };
    const protecting = { enabled: true, action: 'replace', categories: ['email'] };
    const key = await keyWith({ sensitive_data: protecting });
    const blocking = await keyWith({ sensitive_data: { ...protecting, action: 'block' } });

    expect((await score(address)).results).toEqual([{ index: 0, score: 1 }]);
    expect((await score(address, key)).results).toEqual([{ index: 0, score: 0 }]);
    expect(await score(address, blocking)).toMatchObject({ error: { code: 400, param: 'texts.0' } });
  });

  it('is estimated', async () => {
    const response = await post(gateway, '/scores/estimate', body);

    expect(await response.json()).toMatchObject({
      data: { admits: true, candidates: [{ model: 'sandbox/scorer' }] },
    });
  });

  it('lists its models, which are available', async () => {
    const response = await get(gateway, '/scores/models');

    expect(await response.json()).toMatchObject({ data: [{ id: 'sandbox/scorer', available: true }], total_count: 1 });
  });

  it('is in the API document, with its texts and its kind of request', async () => {
    const document = await (await get(gateway, '/openapi.json')).text();
    const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, { operationId: string }>> };

    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method} ${path}`]),
    );
    expect(Object.fromEntries(operations)).toMatchObject({
      'create-scores': 'post /scores',
      'estimate-scores': 'post /scores/estimate',
      'list-scores-models': 'get /scores/models',
    });
    expect(document).toContain('`scores`, or `video`');
    expect(document).toContain('and scores `stop`');
  });
});
