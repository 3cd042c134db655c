/** Sealed days, and alterations of files and records afterwards. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofsOf } from '../../../lambdas/books/seals/proofs.ts';
import { leafOf, rootByPath } from '../../../lambdas/books/seals/merkle.ts';
import {
  leavesFile,
  parseSealStatement,
  sealFiles,
  type SealStatement,
} from '../../../lambdas/books/seals/seal-statement.ts';
import { sealedColumns } from '../../../lambdas/books/seals/sealed-line.ts';
import { periodOf } from '../../../lambdas/books/period.ts';
import { readStatement } from '../../../lambdas/books/statement.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import { generationKey } from '../../../lambdas/store/generations/generation-key.ts';
import { generationsInOrder } from '../../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../../lambdas/store/generations/generation.ts';
import { moneyAttribute } from '../../../lambdas/store/table/table.ts';
import type { Key } from '../../../lambdas/store/table/writes.ts';
import { writeStatementFiles } from '../../../lib/admin/reports/statement-files.ts';
import { documentsOf } from '../../support/documents.ts';
import { makeRuledHistory, type RuledHistory } from '../../support/history.ts';
import { daysAfter, newSealing, sealBefore, verifyAll, type Sealing } from '../../support/sealing.ts';

/** Number of generations on each of three days. Some of them have several lines. */
const GENERATIONS = 60;

let history: RuledHistory;
let sealing: Sealing;
beforeAll(async () => {
  history = await makeRuledHistory({ generations: GENERATIONS });
  sealing = await newSealing(history.table);
  await sealBefore(sealing.tools, daysAfter(history.dates.at(-1)!, 1));
});
afterAll(async () => {
  await history.stop();
  rmSync(sealing.directory, { recursive: true, force: true });
});

const pathOfDay = (date: string, name: string, directory = sealing.directory) =>
  join(directory, 'sealed', history.account.id, date, name);
const statementOf = (date: string, directory = sealing.directory): SealStatement =>
  parseSealStatement(readFileSync(pathOfDay(date, 'statement.json', directory), 'utf8'));
const linesOfDay = (date: string) =>
  gunzipSync(readFileSync(pathOfDay(date, statementOf(date).lines.file)))
    .toString('utf8')
    .split('\n')
    .slice(1, -1);
const generationsOf = (date: string) => Array.fromAsync(generationsInOrder(history.table, history.account.id, date));

describe('a sealed day', () => {
  it('is valid in its files and in the records', async () => {
    expect(await verifyAll(sealing, history.account.id)).toEqual({ days: 3, ofFiles: [], ofRecords: [] });
  });

  it('has a chain that adds up to all spending and payments', () => {
    const last = statementOf(history.dates.at(-1)!);
    expect(last.usage_so_far_rub).toBe(history.total.toString());
    expect(last.paid_so_far_rub).toBe('1000000.25');
    expect(last.previous?.date).toBe(history.dates.at(-2));
  });

  it('equals the statement of that day', async () => {
    const [date] = history.dates as [string];
    const account = (await readAccount(history.table, history.account.id))!;
    const period = periodOf({ from: date, to: date });
    const { total } = await readStatement(history.table, { account, period, by: ['day'], filter: {} });
    expect(statementOf(date).charged_rub).toBe(total.usage.toString());
  });

  it('has the lines that generations.csv of a statement begins with', async () => {
    const [date] = history.dates as [string];
    const account = (await readAccount(history.table, history.account.id))!;
    const directory = mkdtempSync(join(tmpdir(), 'gateway-statement-'));
    const question = { account, period: periodOf({ from: date, to: date }), by: ['day' as const], filter: {} };
    await writeStatementFiles(history.table, question, {
      directory,
      locale: 'plain',
      issuer: 'Test',
      progress: () => {},
    });
    const cut = execFileSync('cut', ['-d,', `-f1-${sealedColumns.length}`, join(directory, 'generations.csv')]);
    rmSync(directory, { recursive: true });

    expect(cut.toString('utf8').split('\n').slice(1, -2)).toEqual(linesOfDay(date));
  });

  it('can be verified with only openssl, gunzip and sha256sum', async () => {
    const [date] = history.dates as [string];
    const key = join(sealing.directory, 'public.pem');
    writeFileSync(key, sealing.publicKey);
    const statement = pathOfDay(date, 'statement.json');
    const verified = execFileSync('openssl', [
      'dgst',
      '-sha256',
      '-verify',
      key,
      '-signature',
      `${statement}.sig`,
      statement,
    ]);
    const { file, sha256 } = statementOf(date).lines;
    const summed = execFileSync('sh', ['-c', `gunzip -c "${pathOfDay(date, file)}" | sha256sum`]);

    expect(verified.toString()).toBe('Verified OK\n');
    expect(summed.toString().slice(0, 64)).toBe(sha256);
  });

  it('proves a line with the shell commands of docs/billing.md', async () => {
    const [, script] = /```sh\n(.*?)```/s.exec(
      readFileSync(join(import.meta.dirname, '../../../docs/billing.md'), 'utf8'),
    )!;
    const [date] = history.dates as [string];
    let proven = 0;
    for (const generation of (await generationsOf(date)).slice(0, 8)) {
      for (const { day, lines } of await proofsOf(history.table, history.account.id, generation)) {
        for (const { index, line, path } of lines) {
          const given = {
            line,
            index,
            leaf_count: day.leaves,
            path: path.map((hash) => hash.toString('hex')).join(' '),
          };
          const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
          const root = execFileSync('bash', ['-c', script!], { env: { ...process.env, ...env } });
          expect(root.toString().trim()).toBe(day.root);
          proven += 1;
        }
      }
    }
    expect(proven).toBeGreaterThanOrEqual(8);
  });

  it('has a file with its leaves, one per line, in order', () => {
    const [date] = history.dates as [string];
    const path = pathOfDay(date, leavesFile(statementOf(date).lines.root));
    const leaves = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
    expect(leaves).toEqual(linesOfDay(date).map((line) => leafOf(line).toString('hex')));
  });

  it('is listed among the statements of its day', () => {
    const date = history.dates.at(-1)!;
    const list = join(sealing.directory, 'sealed', 'days', `${date}.txt`);
    const sum = execFileSync('sha256sum', [pathOfDay(date, 'statement.json')])
      .toString()
      .slice(0, 64);
    expect(readFileSync(list, 'utf8')).toBe(`${sum}\n`);
  });

  it('is sealed once', async () => {
    const before = readFileSync(pathOfDay(history.dates[0]!, 'statement.json'));
    expect(await sealBefore(sealing.tools, daysAfter(history.dates.at(-1)!, 1))).toBe(0);
    expect(readFileSync(pathOfDay(history.dates[0]!, 'statement.json'))).toEqual(before);
  });

  it('proves each line of each of its generations', async () => {
    const [date] = history.dates as [string];
    const lines: string[] = [];
    for (const generation of await generationsOf(date)) {
      for (const { day, lines: proven } of await proofsOf(history.table, history.account.id, generation)) {
        for (const { index, leaf, line, path } of proven) {
          expect(leaf).toEqual(leafOf(line!));
          expect(rootByPath(leaf, { index, leaves: day.leaves, path })?.toString('hex')).toBe(day.root);
          expect(day.root).toBe(statementOf(date).lines.root);
          lines.push(line!);
        }
      }
    }
    expect(lines).toEqual(linesOfDay(date));
  });
});

async function foundInFiles(alter: (directory: string) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-altered-'));
  cpSync(sealing.directory, directory, { recursive: true });
  try {
    alter(directory);
    const { ofFiles, ofRecords } = await verifyAll({ ...sealing, directory }, history.account.id);
    return [...ofFiles, ...ofRecords].map(({ date, where, says }) => `${date} ${where} ${says}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function foundInRecords(key: Key, alter: (item: Record<string, unknown>) => Record<string, unknown> | undefined) {
  const documents = documentsOf(history.table);
  const TableName = history.table.name;
  const { Item: item } = await documents.send(new GetCommand({ TableName, Key: key }));
  const altered = alter({ ...item });
  try {
    if (altered) await documents.send(new PutCommand({ TableName, Item: altered }));
    else await documents.send(new DeleteCommand({ TableName, Key: key }));
    const { ofFiles, ofRecords } = await verifyAll(sealing, history.account.id);
    expect(ofFiles).toEqual([]);
    return ofRecords.map(({ date, where, says }) => `${date} ${where} ${says}`);
  } finally {
    if (item) await documents.send(new PutCommand({ TableName, Item: item }));
    else await documents.send(new DeleteCommand({ TableName, Key: key }));
  }
}

const first = () => history.dates[0]!;
const middle = () => history.dates[1]!;

function changedCell(line: string, column: (typeof sealedColumns)[number], change: (cell: string) => string): string {
  const cells = line.split(',');
  const at = sealedColumns.indexOf(column);
  return cells.with(at, change(cells[at]!)).join(',');
}

describe('an alteration after a day was sealed', () => {
  it('is reported: a digit of a line', async () => {
    const { file } = statementOf(middle()).lines;
    const found = await foundInFiles((directory) => {
      const path = pathOfDay(middle(), file, directory);
      const text = gunzipSync(readFileSync(path)).toString('utf8');
      const lines = text.split('\n');
      lines[3] = changedCell(lines[3]!, 'line_rub', (amount) =>
        amount.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
      );
      writeFileSync(path, gzipSync(lines.join('\n')));
    });
    expect(found).toContainEqual(`${middle()} ${file} has another SHA-256 than in the statement`);
    expect(found).toContainEqual(`${middle()} ${file} has lines with another root than in the statement`);
    expect(found).toContainEqual(
      expect.stringMatching(`^${middle()} line 3, gen-[0-9a-f-]+ differs from the line that was sealed there$`),
    );
    expect(found).toContainEqual(expect.stringMatching(`^${middle()} line 3, gen-.* was sealed as`));
  });

  it('is reported: an invalid amount', async () => {
    const { file } = statementOf(middle()).lines;
    const found = await foundInFiles((directory) => {
      const path = pathOfDay(middle(), file, directory);
      const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
      writeFileSync(
        path,
        gzipSync(
          lines
            .with(
              5,
              changedCell(lines[5]!, 'correction_rub', () => 'x'),
            )
            .join('\n'),
        ),
      );
    });
    expect(found).toContainEqual(expect.stringMatching(`^${middle()} ${file} cannot be read`));
    expect(found).toContainEqual(expect.stringMatching(`^${middle()} line 5, gen-[0-9a-f-]+ differs from the line`));
  });

  it('is reported with the file alone if a day has no list of leaves, as days of earlier releases', async () => {
    const { file, root } = statementOf(middle()).lines;
    const found = await foundInFiles((directory) => {
      rmSync(pathOfDay(middle(), leavesFile(root), directory));
      const path = pathOfDay(middle(), file, directory);
      const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
      writeFileSync(path, gzipSync(lines.toSpliced(3, 1).join('\n')));
    });
    expect(found).toContainEqual(`${middle()} ${file} has lines with another root than in the statement`);
    expect(found.filter((finding) => finding.startsWith(`${middle()} line `))).toEqual([]);
  });

  it('is not reported if a day has no list of leaves, and its lines are unchanged', async () => {
    const { root } = statementOf(middle()).lines;
    expect(await foundInFiles((directory) => rmSync(pathOfDay(middle(), leavesFile(root), directory)))).toEqual([]);
  });

  it('is reported: a list of leaves', async () => {
    const name = leavesFile(statementOf(middle()).lines.root);
    const found = await foundInFiles((directory) => {
      const path = pathOfDay(middle(), name, directory);
      const leaves = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
      writeFileSync(path, gzipSync(leaves.toSpliced(3, 1).join('\n')));
    });
    expect(found).toEqual([`${middle()} ${name} has leaves with another root than in the statement`]);
  });

  it('is reported: a statement', async () => {
    const found = await foundInFiles((directory) => {
      const path = pathOfDay(middle(), 'statement.json', directory);
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(/("charged_rub": "\d+\.\d+)(\d)"/, (_, head, digit) => `${head}${(Number(digit) + 1) % 10}"`),
      );
    });
    expect(found).toContainEqual(`${middle()} statement.json does not match its signature`);
    expect(found).toContainEqual(expect.stringMatching(`^${middle()} charged_rub is`));
    expect(found).toContainEqual(
      expect.stringMatching(`^${history.dates[2]} statement.json does not match the statement of`),
    );
  });

  it('is reported: a missing day', async () => {
    const found = await foundInFiles((directory) => {
      rmSync(join(directory, 'sealed', history.account.id, middle()), { recursive: true });
    });
    expect(found).toContainEqual(
      expect.stringMatching(`^${history.dates[2]} statement.json names ${middle()} as the statement before it`),
    );
  });

  it('is reported: the missing last day, which has no successor', async () => {
    const found = await foundInFiles((directory) => {
      rmSync(join(directory, 'sealed', history.account.id, history.dates[2]!), { recursive: true });
    });
    expect(found).toEqual([`${history.dates[2]} statement.json is missing, although the day is sealed in the table`]);
  });

  it('is reported: a signature, and a signature of another key', async () => {
    const found = await foundInFiles((directory) => {
      writeFileSync(pathOfDay(first(), 'statement.json.sig', directory), 'no signature');
    });
    expect(found).toEqual([`${first()} statement.json does not match its signature`]);
    const other = await newSealing(history.table);
    const { ofFiles } = await verifyAll({ ...sealing, publicKey: other.publicKey }, history.account.id);
    expect(ofFiles.map(({ says }) => says)).toEqual(Array(3).fill('does not match its signature'));
    rmSync(other.directory, { recursive: true });
  });

  it('is reported: a file of a wrong format', async () => {
    for (const name of readdirSync(pathOfDay(first(), ''))) {
      const found = await foundInFiles((directory) => writeFileSync(pathOfDay(first(), name, directory), 'nonsense'));
      expect(found[0]).toContain(first());
    }
  });

  it.each([
    [
      'cost',
      'total_cost_rub',
      (value: unknown) => moneyAttribute(Money.parse(String(value)).plus(Money.parse('0.000000000001'))),
    ],
    ['tokens', 'tokens_completion', (value: unknown) => Number(value) + 1],
    ['the key', 'key_hash', () => 'another'],
    ['the model', 'model', () => 'test/another'],
    ['the time', 'settled_at', () => '2026-01-01T00:00:00.000Z'],
  ])('is reported: %s of a record', async (_, name, changed) => {
    const generations = await generationsOf(first());
    const { id } = generations.find(({ outcome }) => !outcome!.cost.isZero)!;
    const found = await foundInRecords(generationKey(history.account.id, id), (item) => ({
      ...item,
      [name]: changed(item[name]),
    }));
    expect(found).toEqual([expect.stringMatching(`^${first()} line \\d+, ${id} was sealed as`)]);
  });

  it('is reported: a missing record', async () => {
    const [, { id }] = (await generationsOf(middle())) as [Generation, Generation];
    const found = await foundInRecords(generationKey(history.account.id, id), () => undefined);
    expect(found).toEqual([expect.stringMatching(`${id} is sealed, but its record is missing$`)]);
  });

  it('is reported: an added record', async () => {
    const [, { id }] = (await generationsOf(middle())) as [Generation, Generation];
    const { pk } = generationKey(history.account.id, id);
    const digit = id.at(-9) === '0' ? '1' : '0';
    const other = `${id.slice(0, -9)}${digit}${id.slice(-8)}`;
    const { Item: item } = await documentsOf(history.table).send(
      new GetCommand({ TableName: history.table.name, Key: { pk, sk: id } }),
    );
    const found = await foundInRecords({ pk, sk: other }, () => ({ ...item, sk: other, id: other }));
    expect(found).toEqual([`${middle()} ${other} has a record with a charge, but no line on its day`]);
  });

  it('is reported: a payment, its amount or its existence', async () => {
    const key = { pk: `ACCOUNT#${history.account.id}`, sk: 'TOPUP#invoice-1' };
    const changed = await foundInRecords(key, (item) => ({
      ...item,
      amount_rub: moneyAttribute(Money.parse('1000010.6')),
    }));
    const gone = await foundInRecords(key, () => undefined);
    const added = await foundInRecords({ ...key, sk: 'TOPUP#invoice-2' }, () => ({
      ...key,
      sk: 'TOPUP#invoice-2',
      id: 'invoice-2',
      entity: 'top_up',
      amount_rub: 5,
      created_at: `${history.dates[2]}T00:00:00.000Z`,
    }));
    expect(changed).toEqual([expect.stringMatching(/invoice-1 was sealed as/)]);
    expect(gone).toEqual([expect.stringMatching(/invoice-1 is sealed, but its record is missing/)]);
    expect(added).toEqual([expect.stringMatching(/invoice-2 was booked on that day, but has no line$/)]);
  });
});

it('the files of a sealed day are in a folder with the name of its account and its date', () => {
  expect(sealFiles('a', '2026-10-01').statement).toBe('sealed/a/2026-10-01/statement.json');
});
