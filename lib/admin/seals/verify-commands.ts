import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openDocumentSigner } from '../../../lambdas/platform/secrets/document-signer.ts';
import { variables } from '../../../lambdas/platform/environment.ts';
import { listAccountIds } from '../../../lambdas/store/accounts/accounts.ts';
import { readSealHead } from '../../../lambdas/store/days/seals.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { StartFailure } from '../../shared/failure.ts';
import type { LocalState } from '../../shared/data-directory/state.ts';
import { print, table as asTable, type Row } from '../../shared/output.ts';
import { showProgress } from '../command-line/progress.ts';
import { endWithVerdict } from '../command-line/reported-difference.ts';
import { accountsIn, checkAccount } from './check-files.ts';
import { checkLists } from './check-lists.ts';
import { SealFindings } from './findings.ts';
import { compareAccount } from './compare-records.ts';
import { withTableOf } from '../session/session.ts';

interface VerifyOptions {
  files?: string;
  key?: string;
}

interface GlobalOptions {
  json: boolean;
  table?: string;
  account?: string;
}

/** As many as are told: the first ones. */
const MAX_FINDINGS = 1_000;

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('whether sealed days are as they were signed, and records as they were sealed; exit code 1 where not')
    .option(
      '--files <dir>',
      'with the folder "sealed", as fetched from the bucket, whole or of one --account; default: those of the local gateway, and its records',
    )
    .option('--key <file>', 'the public key as PEM; default: that of the local gateway')
    .action((options: VerifyOptions, command: Command) => {
      const { json, table, account } = command.optsWithGlobals<GlobalOptions>();
      const asked = { ...options, account, isJson: json };
      // Files alone need no table: who checks them need not be who runs the gateway.
      if (options.files !== undefined && table === undefined) return verifySealedDays(asked);
      return withTableOf(command, (opened, _, local) => verifySealedDays(asked, { table: opened, local }));
    });
}

async function verifySealedDays(
  { files, key, account, isJson }: VerifyOptions & { account: string | undefined; isJson: boolean },
  opened?: { table: Table; local: LocalState | undefined },
): Promise<void> {
  const directory = files ?? opened?.local?.booksDirectory();
  if (directory === undefined) {
    throw new StartFailure(
      'Sealed days of a deployment are in its bucket: fetch them with "aws s3 sync s3://<BooksBucketName>/sealed <dir>/sealed", and name the directory with --files.',
    );
  }
  const publicKey = await publicKeyOf(key, opened?.local);
  // A directory without any files has none that were altered: only a table would tell that they are gone.
  const folder = join('sealed', account ?? '');
  if (!opened && !existsSync(join(directory, folder))) {
    throw new StartFailure(`There is no folder "${folder}" in ${directory}.`);
  }
  const accounts = account === undefined ? await accountsOf(directory, opened?.table) : [account];
  const findings = new SealFindings(MAX_FINDINGS);
  const rows: Row[] = [];
  const progress = showProgress('checked', accounts.length);
  for (const id of accounts) {
    const before = findings.count;
    const days = await checkAccount({ directory, account: id, publicKey }, findings.add);
    if (opened) await compareAccount({ table: opened.table, directory, account: id }, days, findings.add);
    progress(id);
    const last = days.at(-1)?.statement;
    rows.push({
      days: days.length,
      from: days[0]?.statement.date ?? null,
      to: last?.date ?? null,
      lines: days.reduce((sum, { statement }) => sum + statement.lines.count, 0),
      usage_rub: last?.usage_so_far_rub ?? null,
      paid_rub: last?.paid_so_far_rub ?? null,
      faults: findings.count - before,
      id,
    });
  }
  checkLists({ directory, isWhole: account === undefined }, findings.add);
  const isSound = findings.count === 0;
  const compared = opened ? 'files and records' : 'files';
  if (isJson)
    print({ sound: isSound, compared, accounts: rows, faults: findings.count, findings: findings.kept }, true);
  else process.stdout.write(verificationText({ rows, findings, isSound, compared }));
  endWithVerdict(isSound);
}

/** Also those of which the table alone says that something was sealed: their files are gone. */
async function accountsOf(directory: string, table: Table | undefined): Promise<string[]> {
  const known = new Set(accountsIn(directory));
  for await (const { id } of table ? listAccountIds(table) : []) {
    if (!known.has(id) && (await readSealHead(table!, id))?.date !== undefined) known.add(id);
  }
  return [...known].toSorted();
}

async function publicKeyOf(file: string | undefined, local: LocalState | undefined): Promise<string> {
  if (file !== undefined) return publicKeyIn(file);
  if (!local) {
    throw new StartFailure(
      'Name the public key with --key <file>. Of a deployment: aws kms get-public-key --key-id <SealingKeyArn> --query PublicKey --output text | base64 -d | openssl ec -pubin -inform DER -out key.pem',
    );
  }
  process.env[variables.local] = '1';
  process.env[variables.sealingKeyFile] = local.sealingKeyFile();
  return openDocumentSigner()!.publicKey();
}

/** @throws {StartFailure} for a file that is not there, or is no public key */
function publicKeyIn(file: string): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (text === undefined) throw new StartFailure(`There is no file ${file}: --key takes the public key as PEM.`);
  try {
    createPublicKey(text);
    return text;
  } catch {
    throw new StartFailure(
      `The file ${file} has no public key as PEM, which begins with "-----BEGIN PUBLIC KEY-----". A key in another form: openssl ec -pubin -inform DER -in <file> -out key.pem`,
    );
  }
}

function verificationText({
  rows,
  findings,
  isSound,
  compared,
}: {
  rows: Row[];
  findings: SealFindings;
  isSound: boolean;
  compared: string;
}): string {
  const list = findings.count === 0 ? '' : `\n${findings.text()}`;
  const verdict = isSound
    ? `Everything is as it was sealed (${compared}).`
    : `Something is NOT as it was sealed (${compared}).`;
  return `${asTable(rows)}${list}\n${rows.length === 0 && isSound ? 'Nothing was sealed yet.' : verdict}\n`;
}
