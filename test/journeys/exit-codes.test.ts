/** Exit codes on which cron jobs, CI steps and monitors depend. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealDays } from '../../lambdas/books/seals/seal-days.ts';
import { signerInFile } from '../../lambdas/platform/secrets/document-signer.ts';
import { filesInDirectory } from '../../lambdas/platform/immutable-files.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { tableAt } from '../../lambdas/store/table/table.ts';
import { LOCAL_TABLE, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { LocalState } from '../../lib/shared/data-directory/state.ts';
import { layOutLastRelease, RELEASED_DATE, releasedItems } from '../support/last-release.ts';
import { programOf } from '../support/programs.ts';

let root: string;
/** `sound` has books that agree and are sealed; in its copy `altered`, one record has another cost. */
let [sound, altered] = ['', ''];

const record = releasedItems.find(
  ({ entity, total_cost_rub: cost }) => entity?.S === 'generation' && cost?.N === '0.01275',
)!;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'gateway-exit-codes-'));
  [sound, altered] = [join(root, 'sound'), join(root, 'altered')];
  await layOutLastRelease(sound);
  await onTableOf(sound, async (endpoint) => {
    const state = LocalState.at(sound);
    const table = tableAt(LOCAL_TABLE, endpoint);
    const tools = {
      table,
      files: filesInDirectory(state.booksDirectory()),
      signer: signerInFile(state.sealingKeyFile()),
    };
    expect(await sealDays(tools, { atMs: Date.parse('2026-11-21T02:00:00Z') })).toBeGreaterThan(0);
  });
  cpSync(sound, altered, { recursive: true });
  await onTableOf(altered, async (endpoint) => {
    const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: localCredentials });
    await client.send(
      new UpdateItemCommand({
        TableName: LOCAL_TABLE,
        Key: { pk: record['pk']!, sk: record['sk']! },
        UpdateExpression: 'SET total_cost_rub = :cost',
        ExpressionAttributeValues: { ':cost': { N: '1.01275' } },
      }),
    );
    client.destroy();
  });
  for (const data of [sound, altered]) await exitOf(data, 'export', join(data, 'export'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function onTableOf(directory: string, work: (endpoint: string) => Promise<void>): Promise<void> {
  const dynamodb = await startDynamodb(directory);
  try {
    await work(dynamodb.endpoint);
  } finally {
    await dynamodb.stop();
  }
}

async function exitOf(data: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const program = await programOf('bin/admin.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--data', data, ...args], (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

const days = ['--from', RELEASED_DATE, '--to', RELEASED_DATE];

function reportOf(data: string): string {
  const file = join(data, 'report.csv');
  writeFileSync(file, `date,model,requests\n${RELEASED_DATE},gpt,${data === sound ? 5 : 6}\n`);
  return file;
}

describe.each([
  { command: 'reconcile', args: () => ['reconcile', '--deep'], verdict: /do NOT agree/ },
  { command: 'statement', args: () => ['statement', ...days], verdict: /NOT PROVEN/ },
  { command: 'verify', args: () => ['verify'], verdict: /NOT match the sealed state/ },
  { command: 'books', args: (data: string) => ['books', join(data, 'export')], verdict: /are NOT correct/ },
  {
    command: 'invoice',
    args: (data: string) => ['invoice', reportOf(data), '--provider', 'sandbox-openai', '--format', 'csv'],
    verdict: /DIFFER/,
  },
])('the command $command', ({ args, verdict }) => {
  it('exits with 1 after it has reported a difference', async () => {
    const { code, out, err } = await exitOf(altered, ...args(altered));

    expect(err).toBe('');
    expect(out).toMatch(verdict);
    expect(code).toBe(1);
  });

  it('exits with 1 and its whole report as JSON', async () => {
    const { code, out, err } = await exitOf(altered, '--json', ...args(altered));

    expect(err).toBe('');
    expect(JSON.parse(out)).toBeTypeOf('object');
    expect(code).toBe(1);
  });

  it('exits with 0 if everything agrees', async () => {
    const { code, out, err } = await exitOf(sound, ...args(sound));

    expect(err).toBe('');
    expect(out).not.toMatch(verdict);
    expect(code).toBe(0);
  });
});
