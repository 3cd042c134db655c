import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { operatorActions } from '../../lib/aws/data-stack.ts';
import { buildProgram } from '../../lib/admin/program.ts';
import { adminHere } from '../support/admin.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { itemActions } from '../support/item-actions.ts';
import { shippedCatalog } from '../support/catalog.ts';

const files = mkdtempSync(join(tmpdir(), 'gateway-commands-'));
const data = join(files, 'data');
const exported = join(files, 'exported');
let dynamodb: LocalDynamodb;
let proxy: FaultProxy;
let postpaid: string;
let prepaid: string;

const run = (...args: string[]) => adminHere(data, ...args);

async function made(...args: string[]): Promise<Record<string, string>> {
  return JSON.parse((await run('--json', ...args)).out) as Record<string, string>;
}

beforeAll(async () => {
  // An upgrade reads the whole table, so it is not shared.
  dynamodb = await startDynamodb(undefined);
  proxy = await startFaultProxy(dynamodb.endpoint);
  vi.stubEnv('DYNAMODB_ENDPOINT', proxy.endpoint);
  ({ id: postpaid } = (await made('accounts', 'create', '--name', 'Acme')) as { id: string });
  ({ id: prepaid } = (await made('accounts', 'create', '--name', 'Bell', '--mode', 'prepaid')) as { id: string });
  for (const name of ['one', 'twice', 'twice']) await made('--account', postpaid, 'keys', 'create', '--name', name);
  await made('--account', postpaid, 'members', 'add', '--member', 'ann');
  await made('--account', postpaid, 'workspaces', 'create', '--name', 'Gone', '--slug', 'gone');
  writeFileSync(join(files, 'prices.json'), '{}');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await proxy.stop();
  await dynamodb.stop();
  rmSync(files, { recursive: true, force: true });
});

interface Case {
  good: string[];
  /** Invalid arguments, and the expected error message. */
  bad: [string[], RegExp];
  /** Without this option, the command is refused. */
  needs?: string;
  prepaid?: true;
}

const day = 'Use a day, for example';

/** Arguments of each command. No command changes the state that a later command needs. */
const cases: Record<string, Case> = {
  clients: { good: ['codex', '--model', 'sandbox/gpt'], bad: [['nobody'], /claude-code, codex/] },
  'accounts create': {
    good: ['--name', 'Third'],
    bad: [['--name', 'x', '--mode', 'free'], /postpaid, prepaid/],
    needs: '--name',
  },
  'accounts list': { good: [], bad: [['--name', 'x'], /unknown option '--name'/] },
  'accounts rename': { good: ['--name', 'First'], bad: [['--name', ''], /--name/], needs: '--name' },
  'accounts privacy': {
    good: ['--block-training', 'true'],
    bad: [['--allowed-providers', 'nobody'], /nobody/],
  },
  'accounts top-up': {
    good: ['--amount', '5'],
    bad: [['--amount', '-5'], /roubles/],
    needs: '--amount',
    prepaid: true,
  },
  'accounts refund': {
    good: ['--amount', '1'],
    bad: [['--amount', '1000000'], /cannot be refunded/],
    needs: '--amount',
    prepaid: true,
  },
  'accounts adjust': {
    good: ['--amount=-1.5', '--reason', 'Invoice 12 was wrong'],
    bad: [['--amount', '0', '--reason', 'x'], /above 0/],
    prepaid: true,
  },
  'accounts limit': {
    good: ['--period', 'monthly', '--limit', '50000'],
    bad: [['--period', 'lifetime', '--limit', '5'], /daily, weekly, monthly/],
    needs: '--limit',
  },
  'accounts suspend': { good: ['--reason', 'Unpaid'], bad: [['--reason', ''], /--reason/], needs: '--reason' },
  'accounts close': { good: ['--reason', 'Left'], bad: [['--reason', ''], /--reason/], needs: '--reason' },
  'accounts resume': { good: ['--reason', 'Paid'], bad: [['--reason', ''], /--reason/], needs: '--reason' },
  'counters recompute': { good: [], bad: [['now'], /too many arguments/] },
  'accounts spread-records': { good: [], bad: [['now'], /too many arguments/] },
  'accounts callback-secret': { good: [], bad: [['now'], /too many arguments/] },
  'top-ups list': { good: [], bad: [['now'], /too many arguments/], prepaid: true },
  'workspaces create': {
    good: ['--name', 'Team', '--slug', 'team'],
    bad: [['--name', 'Команда'], /no slug can be derived/],
    needs: '--name',
  },
  'workspaces list': { good: [], bad: [['--slug', 'x'], /unknown option/] },
  'workspaces set': {
    good: ['--workspace', 'team', '--name', 'The team'],
    bad: [['--workspace', 'team'], /pass it or another setting/],
    needs: '--workspace',
  },
  'workspaces delete': {
    good: ['--workspace', 'gone'],
    bad: [['--workspace', 'nowhere'], /There is no workspace/],
    needs: '--workspace',
  },
  'members add': { good: ['--member', 'bob'], bad: [['--member', 'a b'], /It must be/], needs: '--member' },
  'members list': { good: [], bad: [['--workspace', 'nowhere'], /There is no workspace/] },
  'members set': {
    good: ['--member', 'bob', '--models', 'sandbox/*'],
    bad: [['--member', 'bob', '--networks', 'home'], /"home" must be an IPv4 or IPv6 address/],
    needs: '--member',
  },
  'members remove': { good: ['--member', 'bob'], bad: [['--member', 'nobody'], /nobody/], needs: '--member' },
  'budgets set': {
    good: ['--interval', 'daily', '--limit', '5'],
    bad: [['--interval', 'weekly', '--limit', '1'], /must be above the daily limit/],
    needs: '--limit',
  },
  'budgets list': { good: [], bad: [['--workspace', 'nowhere'], /There is no workspace/] },
  'tags set': { good: ['--reported', 'project'], bad: [['--reported', 'A'], /Each name must be/], needs: '--reported' },
  'tags show': { good: [], bad: [['--reported', 'x'], /unknown option '--reported'/] },
  'alerts set': {
    good: ['--thresholds', '50,80', '--webhook', 'http://127.0.0.1:9/alerts'],
    bad: [['--webhook', 'https://10.0.0.1/alerts'], /webhook_url: must be on the public internet/],
  },
  'alerts show': { good: [], bad: [['--workspace', 'nowhere'], /There is no workspace/] },
  'alerts test': { good: [], bad: [['--key', 'nobody'], /There is no key/] },
  'alerts deliveries': { good: ['--limit', '5'], bad: [['--limit', '0'], /from 1 to 100/] },
  'alerts retry': {
    good: ['--help'],
    bad: [['--delivery', '01a1'], /There is no delivery "01a1"/],
    needs: '--delivery',
  },
  'alerts addresses list': { good: [], bad: [['--hash', 'x'], /unknown option '--hash'/] },
  'alerts addresses remove': {
    good: ['--help'],
    bad: [['--address', 'a@example.com'], /The account has no such address/],
    needs: '--address',
  },
  'keys create': {
    good: ['--name', 'new'],
    bad: [['--name', 'x', '--limit-reset', 'daily'], /requires --limit/],
    needs: '--name',
  },
  'keys list': { good: [], bad: [['--kind', 'other'], /inference, management/] },
  'keys disable': {
    good: ['--key', 'one'],
    bad: [['--key', 'nobody’s'], /There is no key "nobody’s"/],
    needs: '--key',
  },
  'keys enable': {
    good: ['--key', 'one'],
    bad: [['--key', 'twice'], /"twice" matches .*, .*; use the hash/],
    needs: '--key',
  },
  'keys limit': {
    good: ['--key', 'one', '--limit', '10', '--limit-reset', 'daily'],
    bad: [['--key', 'one', '--limit', '10', '--limit-reset', 'hourly'], /daily, weekly, monthly, never/],
    needs: '--key',
  },
  'keys set': {
    good: ['--key', 'one', '--name', 'one', '--protect', 'email,phone', '--action', 'block'],
    bad: [['--key', 'one', '--protect', 'faces'], /"faces" is not a category/],
    needs: '--key',
  },
  'keys rotate': {
    good: ['--key', 'new', '--grace', '24h'],
    bad: [['--key', 'one', '--grace', 'soon'], /30m, 24h, 7d/],
    needs: '--key',
  },
  'keys delete': { good: ['--key', 'new'], bad: [['--key', 'new'], /There is no key "new"/], needs: '--key' },
  activity: { good: ['--by', 'key'], bad: [['--days', '31'], /from 1 to 30/] },
  statement: {
    good: ['--by', 'key,model', '--key', 'twice'],
    bad: [['--by', 'colour'], /"colour" is unknown. Use a comma-separated list of day/],
  },
  verify: { good: [], bad: [['--files', '/nowhere'], /Pass the public key with --key/] },
  reconcile: { good: ['--deep'], bad: [['--day', 'yesterday'], new RegExp(day)] },
  export: { good: [exported], bad: [[], /missing required argument 'dir'/] },
  restore: { good: ['--help'], bad: [['/nope'], /no full export of the table/] },
  books: { good: [exported], bad: [['/nope'], /no full export of the table/] },
  'papers party': {
    good: ['--name', 'ООО Ромашка', '--inn', '7701234560', '--address', 'Москва', '--vat', 'none'],
    bad: [['--inn', '7701234561'], /must be 10 or 12 digits with correct check digits/],
  },
  'papers bill': {
    good: ['--amount', '1000', '--reference', 'bill-1'],
    bad: [['--amount', '0.001', '--reference', 'bill-1'], /A bill must be in whole kopecks/],
    needs: '--amount',
  },
  'papers act': {
    good: ['--help'],
    bad: [['--month', '2026-13'], /Use a month, for example 2026-10/],
    needs: '--month',
  },
  'papers list': { good: [], bad: [['--all'], /unknown option/] },
  margin: { good: ['--by', 'provider'], bad: [['--by', 'colour'], /"colour" is unknown/] },
  'counters allow-parts': { good: [], bad: [['--all'], /unknown option/] },
  'counters gather': { good: [], bad: [['--all'], /unknown option/] },
  'what-if': {
    good: ['--model', 'sandbox/claude'],
    bad: [['--model', 'sandbox/claude', '--days', '0'], /--days/],
    needs: '--model',
  },
  invoice: {
    good: ['--help'],
    bad: [['/nope.json', '--provider', 'anthropic', '--format', 'anthropic'], /cannot be read/],
    needs: '--provider',
  },
  'generations show': { good: ['--help'], bad: [['req_1'], /gen-… from the header x-generation-id, or req_…/] },
  'generations list': { good: ['--status', 'complete'], bad: [['--date', 'yesterday'], new RegExp(day)] },
  audit: { good: ['--limit', '5'], bad: [['--limit', '0'], /from 1 to/] },
  'free-models': { good: [], bad: [['--date', '2026-11-99'], new RegExp(day)] },
  upgrade: { good: [], bad: [['--force'], /unknown option/] },
  'catalog check': { good: [shippedCatalog], bad: [['/nope'], /cannot be read/] },
  'catalog backends': { good: [], bad: [['/nope'], /cannot be read/] },
  'catalog show': { good: ['--history', '3'], bad: [['--history', 'all'], /--history/] },
  'catalog publish': {
    good: [shippedCatalog, '--yes'],
    bad: [['/nope'], /cannot be read/],
  },
  'catalog rollback': { good: ['--yes'], bad: [['--to', 'never'], /None of the last/] },
  'catalog withdraw': { good: ['--help'], bad: [['now'], /too many arguments/] },
  'catalog import': {
    good: ['--help'],
    bad: [['--from', '/nope.json', '--selection', '/nope.json', '--rate', '1', '--out', files], /it does not exist/],
    needs: '--from',
  },
  'catalog calibrate': { good: ['--help'], bad: [['no/model'], /no\/model/] },
  providers: { good: [], bad: [['/nope'], /cannot be read/] },
};

const accountOf = ({ prepaid: isPrepaid }: Case) => ['--account', isPrepaid ? prepaid : postpaid];

describe('every command', () => {
  it('is tested in this file', () => {
    const leaves = (command: Command, path: string[]): string[] =>
      command.commands.length === 0
        ? [path.join(' ')]
        : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

    expect(Object.keys(cases).toSorted()).toEqual(leaves(buildProgram(), []).toSorted());
  });

  describe.each(Object.entries(cases))('%s', (command, given) => {
    const { good, bad, needs } = given;
    const name = command.split(' ');

    it('works, with output as JSON', async () => {
      const said = await run('--json', ...accountOf(given), ...name, ...good);

      expect(said).toMatchObject({ code: 0, err: '' });
      if (!good.includes('--help')) expect(() => JSON.parse(said.out) as unknown).not.toThrow();
    });

    it('refuses invalid arguments with a message', async () => {
      const [args, sentence] = bad;

      const said = await run(...accountOf(given), ...name, ...args);

      expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) as string });
      expect(said.err).not.toMatch(/^ +at /m);
    });

    if (needs === undefined) return;
    it('prints its required arguments', async () => {
      const without = good.includes('--help') ? [] : good.toSpliced(good.indexOf(needs), 2);

      const said = await run(...accountOf(given), ...name, ...without);

      expect(said).toMatchObject({ code: 1, out: '' });
      expect(said.err).toContain(`required option '${needs}`);
    });
  });

  it('calls only table operations that the policy for operators allows', () => {
    const rights = new Set(proxy.calls.flatMap((call) => itemActions(call).map(({ action }) => action)));

    // On AWS, a deployment creates the table, so operators need no permission for it.
    expect([...rights].filter((right) => right !== 'CreateTable').toSorted()).toEqual(operatorActions.toSorted());
  });

  it('marks only its required options as required in its help (tested with keys create)', async () => {
    const { out } = await run('keys', 'create', '--help');

    expect(out).toMatch(/--name <name> +\(required\)/);
    expect(out).not.toMatch(/--member.*\(required\)/);
  });

  it('is named in the message about an option before the command', async () => {
    const said = await run('--bucket', 'prices', 'catalog', 'show');

    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('Put --bucket after one of these commands: admin catalog show, ');
    expect((await run('--nothing', 'catalog', 'show')).err).not.toContain('Put --nothing');
  });

  it('is suggested by its group after a typing mistake', async () => {
    const said = await run('keys', 'lost');

    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toMatch(/unknown command 'lost'[\s\S]*disable/);
  });
});

describe('verify with a public key', () => {
  it.each([
    ['is no PEM', join(shippedCatalog, 'providers.json'), /contains no public key in PEM form/],
    ['is not there', '/nope.pem', /\/nope\.pem does not exist/],
  ])('that %s is refused with a message', async (_what, key, sentence) => {
    const said = await run('verify', '--files', files, '--key', key);

    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) as string });
    expect(said.err).not.toMatch(/^ +at /m);
  });
});
