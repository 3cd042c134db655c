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

const MAX_FINDINGS = 1_000;

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('check the signatures of sealed days, and compare records with them; exit code 1 if they differ')
    .option(
      '--files <dir>',
      'directory with the folder "sealed" of the bucket, complete or for one --account; default: the files and records of the local gateway',
    )
    .option('--key <file>', 'public key as PEM; default: the key of the local gateway')
    .action((options: VerifyOptions, command: Command) => {
      const { json, table, account } = command.optsWithGlobals<GlobalOptions>();
      const request = { ...options, account, isJson: json };
      // Without a table, only the files are checked.
      if (options.files !== undefined && table === undefined) return verifySealedDays(request);
      return withTableOf(command, (opened, _, local) => verifySealedDays(request, { table: opened, local }));
    });
}

async function verifySealedDays(
  { files, key, account, isJson }: VerifyOptions & { account: string | undefined; isJson: boolean },
  opened?: { table: Table; local: LocalState | undefined },
): Promise<void> {
  const directory = files ?? opened?.local?.booksDirectory();
  if (directory === undefined) {
    throw new StartFailure(
      'Sealed days of a deployment are in its bucket. Download them with "aws s3 sync s3://<BooksBucketName>/sealed <dir>/sealed", and pass the directory with --files.',
    );
  }
  const publicKey = await publicKeyOf(key, opened?.local);
  // Without a table, a missing directory would look like a directory without differences.
  const folder = join('sealed', account ?? '');
  if (!opened && !existsSync(join(directory, folder))) {
    throw new StartFailure(`There is no folder "${folder}" in ${directory}. Pass the directory that contains it.`);
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

/** Returns the accounts to check, including accounts that have sealed days in the table but no files. */
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
      'Pass the public key with --key <file>. Download that of a deployment with: aws kms get-public-key --key-id <SealingKeyArn> --query PublicKey --output text | base64 -d | openssl ec -pubin -inform DER -out key.pem',
    );
  }
  process.env[variables.local] = '1';
  process.env[variables.sealingKeyFile] = local.sealingKeyFile();
  return openDocumentSigner()!.publicKey();
}

/** @throws {StartFailure} if the file does not exist, or contains no public key */
function publicKeyIn(file: string): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (text === undefined)
    throw new StartFailure(`${file} does not exist. Pass the public key as a PEM file with --key.`);
  try {
    createPublicKey(text);
    return text;
  } catch {
    throw new StartFailure(
      `${file} contains no public key in PEM form, which begins with "-----BEGIN PUBLIC KEY-----". Convert a key in DER form with: openssl ec -pubin -inform DER -in <file> -out key.pem`,
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
    ? `Everything matches the sealed state (${compared}).`
    : `Something does NOT match the sealed state (${compared}).`;
  return `${asTable(rows)}${list}\n${rows.every(({ days }) => days === 0) && isSound ? 'Nothing is sealed yet.' : verdict}\n`;
}
