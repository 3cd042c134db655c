import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { listen } from '../support/listen.ts';

async function admin(data: string, ...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await adminHere(data, '--json', ...args)).out) as Record<string, unknown>;
}

async function adminRefusal(data: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await adminHere(data, ...args);
  expect([code, out]).toEqual([1, '']);
  return err;
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-admin-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the command line refuses, with the messages of the API,', () => {
  const slugRule = 'It must be 1 to 50 lower-case letters and digits, with single dashes between them.';
  const nameRule = 'It must be a text of 1 to 100 characters on one line, without invisible characters.';
  const descriptionRule = 'It must be a text of 0 to 500 characters on one line, without invisible characters.';
  const workspace = ['workspaces', 'create', '--name', 'Team', '--slug', 'team'];

  it.each([
    ['a slug with other letters', [...workspace, '--slug', 'Ännchen'], slugRule],
    ['a slug that looks like the id of a workspace', [...workspace, '--slug', crypto.randomUUID()], slugRule],
    ['a name of two lines', [...workspace, '--name', 'Team\nRed'], nameRule],
    ['a name that moves the cursor', ['accounts', 'create', '--name', 'Acme\u001b[2A'], nameRule],
    ['a description that is too long', [...workspace, '--description', 'x'.repeat(501)], descriptionRule],
    ['a key without a name', ['keys', 'create', '--name', ' '], nameRule],
    ['a member id that is a route', ['members', 'add', '--member', 'add'], 'It must be 1 to 128 Latin letters'],
  ])('%s', async (_, args, rule) => {
    expect(await adminRefusal(directory, ...args)).toContain(rule);
  });

  it('a new key that has already expired', async () => {
    const past = ['keys', 'create', '--name', 'k', '--expires', '2020-01-01T00:00:00Z'];
    expect(await adminRefusal(directory, ...past)).toContain('Use a time in the future.');
  });
});

describe('an account without requests', () => {
  it.each([
    ['reconcile', 'no day has its daily rows yet. Use --deep'],
    ['reconcile --deep', 'There was nothing to compare: there are no records, daily rows or payments.'],
    ['verify', 'Nothing is sealed yet.'],
  ])('has nothing that %s could find sound', async (command, verdict) => {
    const data = join(directory, 'unused');
    const { id } = await admin(data, 'accounts', 'create', '--name', 'Acme');
    const { code, out } = await adminHere(data, '--account', String(id), ...command.split(' '));

    expect([code, out]).toEqual([0, expect.stringContaining(verdict)]);
  });
});

it('changes of the whole gateway have audit entries', async () => {
  const data = join(directory, 'audited');
  await admin(data, 'accounts', 'create', '--name', 'Acme');
  for (const command of ['allow-parts', 'allow-parts', 'gather']) await admin(data, 'counters', command);
  const { out } = await adminHere(data, '--json', 'audit', '--gateway');

  expect((JSON.parse(out) as { action: string }[]).map(({ action }) => action)).toEqual([
    'counters.gather',
    'counters.allow_parts',
  ]);
});

describe('a data directory that was mistyped', () => {
  it.each(['accounts list', 'accounts top-up --amount 5', 'upgrade'])('is refused by %s', async (command) => {
    const typo = join(directory, 'typo');

    const told = await adminRefusal(typo, ...command.split(' '));

    expect(told).toBe(
      `There is no gateway data in ${typo}. Pass the right directory with --data, or create data with "accounts create" or "npm start".\n`,
    );
    expect(existsSync(typo)).toBe(false);
  });

  it('is refused also for a directory with other files', async () => {
    const other = join(directory, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), 'x');

    expect(await adminRefusal(other, 'accounts', 'list')).toContain('There is no gateway data');

    expect(readdirSync(other)).toEqual(['notes.txt']);
  });

  it('is created by the command that creates an account', async () => {
    const fresh = join(directory, 'fresh');

    const { id } = await admin(fresh, 'accounts', 'create', '--name', 'First');

    expect(await admin(fresh, 'accounts', 'list')).toMatchObject([{ id, name: 'First' }]);
  });
});

describe('the values of options', () => {
  let account: string[];
  beforeAll(async () => {
    const { id } = await admin(directory, 'accounts', 'create', '--name', ' Acme ', '--mode', 'prepaid');
    account = ['--account', id as string];
  });
  const run = (...args: string[]) => admin(directory, ...account, ...args);

  it('are exact for amounts of money', async () => {
    expect(await run('accounts', 'top-up', '--amount', '1500.000000000001')).toMatchObject({
      added_rub: '1500.000000000001',
      total_rub: '1500.000000000001',
    });
  });

  it('book a payment once, however often its reference is given', async () => {
    const pay = ['accounts', 'top-up', '--amount', '20', '--reference', 'INV-1'];
    const { total_rub: before } = await run('accounts', 'top-up', '--amount', '1');

    const first = await run(...pay);
    const second = await run(...pay);

    expect(first).toMatchObject({ top_up: 'INV-1', added_rub: '20', was_booked_before: false });
    expect(second).toMatchObject({ added_rub: '0', was_booked_before: true, total_rub: first['total_rub'] });
    expect(Number(first['total_rub']) - Number(before)).toBeCloseTo(20);
    const other = await adminRefusal(directory, ...account, ...pay, '--amount', '30');
    expect(other).toBe('The payment "INV-1" was booked with 20 RUB. Use a new reference for 30 RUB.\n');
  });

  it('can be true, false or names of providers', async () => {
    const given = ['--block-logging', 'true', '--block-training', 'false', '--ignored-providers', 'openai, anthropic'];
    expect(await run('accounts', 'privacy', ...given)).toMatchObject({
      block_logging: true,
      block_training: false,
      ignored_providers: ['openai', 'anthropic'],
    });
    expect(await run('accounts', 'privacy', '--ignored-providers', 'none')).toMatchObject({
      block_logging: true,
      ignored_providers: [],
    });
    for (const wrong of [
      ['--allowed-providers', 'none'],
      ['--ignored-providers', 'all'],
    ])
      expect(await adminRefusal(directory, ...account, 'accounts', 'privacy', ...wrong)).toMatch(
        /there is no provider/,
      );
  });

  it('set a budget, and "none" clears it', async () => {
    const set = ['budgets', 'set', '--interval', 'daily', '--limit'];
    expect(await run(...set, '0.5')).toMatchObject({ limits_rub: { daily: '0.5' } });
    expect(await run(...set, 'none')).toMatchObject({ limits_rub: {} });
  });
});

/** Returns functions that change the limit of a new account's key. */
async function keyWith(...args: string[]) {
  const { id } = (await admin(directory, 'accounts', 'create', '--name', 'Options')) as { id: string };
  const onIt = ['--account', id];
  const { hash } = await admin(directory, ...onIt, 'keys', 'create', '--name', 'k', ...args);
  return {
    onIt,
    limit: (...more: string[]) => admin(directory, ...onIt, 'keys', 'limit', '--key', hash as string, ...more),
  };
}

describe('a payment whose reply is lost', () => {
  it('can be repeated under the reference that the refusal names, and is booked once', async () => {
    const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
    vi.stubEnv('DYNAMODB_ENDPOINT', proxy.endpoint);
    const data = join(directory, 'lost');
    const { id } = (await admin(data, 'accounts', 'create', '--name', 'Lost', '--mode', 'prepaid')) as { id: string };
    const pay = ['--account', id, 'accounts', 'top-up', '--amount', '5'];

    proxy.faultFor = ({ action }) => (action === 'TransactWriteItems' ? 'lost-reply' : undefined);
    const told = await adminRefusal(data, ...pay);
    proxy.faultFor = () => undefined;
    const [, reference] = /--reference ([0-9a-f-]{36})/.exec(told)!;
    const repeated = await admin(data, ...pay, '--reference', reference!);

    vi.unstubAllEnvs();
    await proxy.stop();
    expect(repeated).toMatchObject({ added_rub: '0', was_booked_before: true, total_rub: '5' });
  });
});

describe('an admin command with optional options', () => {
  it('derives the slug of a workspace from its name', async () => {
    const { onIt } = await keyWith();

    expect(await admin(directory, ...onIt, 'workspaces', 'create', '--name', 'Team B (2026)')).toMatchObject({
      slug: 'team-b-2026',
    });
  });

  it('changes only the period of a limit if it gets no amount', async () => {
    const { limit } = await keyWith('--limit', '5', '--limit-reset', 'daily');

    expect(await limit('--limit-reset', 'weekly')).toMatchObject({
      limits_rub: { weekly: '5' },
      limit_reset: 'weekly',
    });
  });

  it('clears the period with the limit', async () => {
    const { limit } = await keyWith('--limit', '5', '--limit-reset', 'daily');

    expect(await limit('--limit', 'none')).toMatchObject({ limits_rub: {}, limit_reset: null });
  });

  it('refuses a period without an amount if the key has no limit', async () => {
    const { onIt } = await keyWith();
    const change = ['keys', 'limit', '--key', 'k', '--limit-reset', 'weekly'];

    expect(await adminRefusal(directory, ...onIt, ...change)).toContain('requires --limit');
  });

  it('refuses a change of a limit without an amount and a period', async () => {
    const { onIt } = await keyWith();

    expect(await adminRefusal(directory, ...onIt, 'keys', 'limit', '--key', 'k')).toContain('--limit-reset');
  });

  it.each(['--limit', '--member'])('refuses %s for management keys', async (option) => {
    const { onIt } = await keyWith();
    const args = ['keys', 'create', '--kind', 'management', '--name', 'x', option, '5'];

    expect(await adminRefusal(directory, ...onIt, ...args)).toContain(`${option}: is not allowed for management keys`);
  });
});

describe('the backends of a catalog', () => {
  it('are listed with the variables that they need', async () => {
    const rows = (await admin(directory, 'catalog', 'backends')) as unknown as Record<string, unknown>[];

    expect(rows.find(({ id }) => id === 'yandex')).toMatchObject({
      kind: 'yandex',
      variables: 'YANDEX_SEARCH_API_KEY YANDEX_FOLDER_ID',
      stand_in: false,
    });
  });
});

describe('a mistake of the person who types', () => {
  const files = mkdtempSync(join(tmpdir(), 'gateway-mistakes-'));
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(files, name), text);
    return join(files, name);
  };
  const importing = (list: string, selection: string) =>
    ['catalog', 'import', '--from', list, '--selection', selection, '--rate', '100'].concat(
      '--out',
      join(files, 'out'),
    );
  const shipped = 'lambdas/catalog/data/selection.json';
  afterAll(() => rmSync(files, { recursive: true, force: true }));

  it.each([
    ['a file that is not there', importing('/nope.json', shipped), '/nope.json cannot be used: it does not exist.'],
    ['a file that is no JSON', importing(fileOf('broken.json', '{'), shipped), 'broken.json is not JSON'],
    [
      'a price list of another shape',
      importing(fileOf('other.json', '{"acme":"x"}'), shipped),
      'other.json is invalid: acme: ',
    ],
    ['a selection of another shape', importing('x', fileOf('selection.json', '{}')), 'is invalid: models: '],
    [
      'a price list without the models',
      importing(fileOf('empty.json', '{}'), shipped),
      'The price lists contain no model',
    ],
    ['a catalog that is not there', ['catalog', 'check', '/nope'], '/nope/providers.json cannot be read'],
  ])('is reported as a message: %s', async (_, args, sentence) => {
    const told = await adminRefusal(directory, ...args);
    expect(told).toContain(sentence);
    expect(told).not.toMatch(/^ +at /m);
  });

  it.each([
    [
      'a region that does not exist',
      { AWS_REGION: 'nowhere', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      ['--table', 'none'],
      'AWS cannot be reached in the region "nowhere"',
    ],
    [
      'a database that is not running',
      { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
      [],
      'DynamoDB cannot be reached at http://127.0.0.1:9 (ECONNREFUSED). Check the variable DYNAMODB_ENDPOINT, which names this address.',
    ],
  ])('is reported as a message: %s', async (_, environment, args, sentence) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const told = await adminRefusal(directory, ...args, 'accounts', 'list');
    vi.unstubAllEnvs();
    expect(told).toContain(sentence);
    expect(told).not.toMatch(/^ +at /m);
  });

  it('is reported as a message: a table that does not exist', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(400).end('{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}');
    });
    const { url, stop } = await listen(server);
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const told = await adminRefusal(directory, '--table', 'nope', 'accounts', 'list');
    vi.unstubAllEnvs();
    await stop();
    expect(told).toContain('There is no table "nope" in the region "eu-central-1"');
  });

  it('is reported as a message: a data directory without records, and no address of its table', async () => {
    const elsewhere = join(files, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'state.json'), '{"account_id":"a","workspace_id":"w"}');
    const told = await adminRefusal(elsewhere, 'accounts', 'list');
    expect(told).toContain('Set DYNAMODB_ENDPOINT');
    expect(existsSync(join(elsewhere, 'dynamodb.sqlite'))).toBe(false);
  });

  it('is reported as a message: a table on AWS without a region', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/nope');
    const told = await adminRefusal(directory, '--table', 'none', 'accounts', 'list');
    vi.unstubAllEnvs();
    expect(told).toContain('Set AWS_REGION');
    expect(told).not.toMatch(/^ +at /m);
  });
});
