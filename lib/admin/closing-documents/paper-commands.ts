import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import * as z from 'zod';
import { locales, type Locale } from '../../../lambdas/books/csv.ts';
import { commitChange } from '../../../lambdas/management/change.ts';
import { nameRule, noteRule, referenceRule } from '../../../lambdas/management/rules.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { conflict, GatewayError } from '../../../lambdas/platform/errors.ts';
import { isInn } from '../../../lambdas/platform/inn.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import { listPapers, paperPut, partyPut, readParty, type Party } from '../../../lambdas/store/accounts/papers.ts';
import { StartFailure } from '../../shared/failure.ts';
import { parsePositive, textBy } from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { lineSplits, makeAct, requireLines, type LineSplit } from './completion-act.ts';
import { actDocument, billDocument, documentRows } from './documents.ts';
import { csvText, writeText } from '../reports/csv.ts';
import { parseMonth } from '../reports/report-options.ts';
import { onAccount, type Session } from '../session/session.ts';

export function addPaperCommands(program: Command): void {
  const papers = program
    .command('papers')
    .description('data for bills (счёт) and closing documents (акт, УПД), in kopecks with VAT');
  papers
    .command('party')
    .description('set the organization and the tax of the account’s documents; without options, print them')
    .option('--name <name>', 'of the organization', textBy(nameRule))
    .option('--inn <number>', '10 or 12 digits', parseInn)
    .option('--kpp <number>', '9 digits', digits(/^\d{9}$/, 'Use 9 digits.'))
    .option('--no-kpp', 'remove the KPP')
    .option('--address <text>', 'of the organization', textBy(noteRule))
    .option('--contract <text>', 'number and date of the contract', textBy(noteRule))
    .option('--no-contract', 'remove the contract')
    .option('--vat <percent or none>', 'VAT rate; must be confirmed by an accountant', parseVat)
    .option('--prices-exclude-vat', 'add the tax to charges; by default, charges include it')
    .option('--no-prices-exclude-vat', 'charges include the tax')
    .action(onAccount(setParty));
  withOutput(papers.command('bill').description('print the data of a bill for a payment'))
    .requiredOption('--amount <rub>', 'in roubles and kopecks', parsePositive)
    .requiredOption(
      '--reference <id>',
      'number of the bill; book the payment with the same reference',
      textBy(referenceRule),
    )
    .action(onAccount(makeBill));
  withOutput(
    papers.command('act').description('issue the closing document of a month; an issued document never changes'),
  )
    .addOption(new Option('--month <YYYY-MM>', 'the month').argParser(parseMonth).makeOptionMandatory())
    .option('--zone <name>', 'time zone of the month', 'Europe/Moscow')
    .option('--number <text>', 'number of the document; default: the month', textBy(referenceRule))
    .addOption(new Option('--by <what>', 'one line for each').choices([...lineSplits]).default('nothing'))
    .option('--draft', 'print the document without issuing it', false)
    .option('--empty', 'issue it even if the month has no lines, so that every month has a document', false)
    .action(onAccount(issueAct));
  papers
    .command('list')
    .description('list the closing documents of the account, with carried remainders')
    .action(onAccount(paperRows));
}

interface OutputOptions {
  out?: string;
  seller?: string;
  locale: Locale;
}

function withOutput(command: Command): Command {
  return command
    .option('--out <dir>', 'also write it to this directory, as JSON and CSV')
    .option('--seller <file>', 'JSON file about the issuer: name, inn, kpp, address')
    .addOption(new Option('--locale <locale>', 'number format of CSV files').choices([...locales]).default('plain'));
}

const INN_RULE = 'must be 10 or 12 digits with correct check digits';

function digits(pattern: RegExp, says: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(says);
  };
}

function parseInn(text: string): string {
  if (isInn(text)) return text;
  throw new InvalidArgumentError(`It ${INN_RULE}.`);
}

function parseVat(text: string): string {
  if (text === 'none' || /^([1-9]|[1-4]\d)$/.test(text)) return text;
  throw new InvalidArgumentError('Use "none", or whole percents such as 20.');
}

type PartyOptions = Partial<Pick<Party, 'name' | 'inn' | 'address' | 'vat'>> & {
  /** `false` removes the stored code. */
  kpp?: string | false;
  contract?: string | false;
  pricesExcludeVat?: boolean;
};

async function setParty({ table, accountId, changes }: Session, given: PartyOptions): Promise<Row> {
  const before = await readParty(table, accountId);
  if (Object.keys(given).length === 0) return before ? partyRow(before) : {};
  const { pricesExcludeVat, ...fields } = given;
  const { name, inn, address, vat, ...rest } = { ...before, ...fields };
  if (name === undefined || inn === undefined || address === undefined || vat === undefined) {
    throw new GatewayError('invalid_request', 'Pass --name, --inn, --address and --vat.');
  }
  const includesVat = pricesExcludeVat === undefined ? (before?.includesVat ?? true) : !pricesExcludeVat;
  const party: Party = {
    name,
    inn,
    address,
    vat,
    kpp: rest.kpp || undefined,
    contract: rest.contract || undefined,
    includesVat,
  };
  const after = partyRow(party);
  await commitChange(
    changes,
    { action: 'account.party', target: `account ${accountId}`, before: before && partyRow(before), after },
    { party: partyPut(table, accountId, party) },
  );
  return after;
}

function partyRow({ name, inn, kpp, address, contract, vat, includesVat }: Party): Row {
  return { name, inn, kpp: kpp ?? null, address, contract: contract ?? null, vat, prices_include_vat: includesVat };
}

async function requireParty({ table, accountId }: Session): Promise<Party> {
  const party = await readParty(table, accountId);
  if (party) return party;
  throw conflict('The organization of the documents is not set. Set it with "papers party".');
}

const sellerSchema = z.strictObject({
  name: z.string().min(1),
  inn: z.string().refine(isInn, INN_RULE),
  kpp: z
    .string()
    .regex(/^\d{9}$/)
    .optional(),
  address: z.string().min(1),
});

/** @throws {StartFailure} with the mistake, if the file is invalid */
function readSeller(file: string | undefined): Party | undefined {
  if (file === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartFailure(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  const { data, error } = sellerSchema.safeParse(content);
  if (!error) return { ...data, kpp: data.kpp, contract: undefined, vat: 'none', includesVat: true };
  const [issue] = error.issues;
  throw new StartFailure(`${file} is invalid: ${[...issue!.path, issueText(issue!)].join(': ')}`);
}

async function makeBill(
  session: Session,
  { amount, reference, ...output }: { amount: Money; reference: string } & OutputOptions,
): Promise<Row> {
  if (amount.pico % 10n ** 10n !== 0n)
    throw new GatewayError('invalid_request', 'A bill must be in whole kopecks: use at most two decimals.');
  const parties = { seller: readSeller(output.seller), buyer: await requireParty(session) };
  return written(
    billDocument({ reference, amount, atMs: nowMs() }, parties),
    `bill-${safeFileName(reference)}`,
    output,
  );
}

async function issueAct(
  session: Session,
  { month, zone, number = month, by, draft, empty, ...output }: ActOptions,
): Promise<Row> {
  const { table, accountId, changes } = session;
  const account = (await readAccount(table, accountId))!;
  const act = await makeAct(table, { account, month, zone, number, by, party: await requireParty(session) });
  const parties = { seller: readSeller(output.seller), buyer: act.paper.party };
  if (!act.isIssued && !draft) {
    if (!empty) requireLines(act);
    const { total, carriedOut } = act.paper;
    const after = { number, total_rub: total.toString(), carried_out_rub: carriedOut.toString() };
    const outcome = await commitChange(
      changes,
      { action: 'account.paper', target: `paper of ${month}`, after },
      { paper: paperPut(table, accountId, act.paper) },
    );
    if (!outcome.committed)
      throw conflict(
        `The document of ${month} has just been issued by another command. Run the command again to print it.`,
      );
  }
  return { ...(await written(actDocument(act, parties), `act-${month}`, output)), draft: draft && !act.isIssued };
}

interface ActOptions extends OutputOptions {
  month: string;
  zone: string;
  number?: string;
  by: LineSplit;
  draft: boolean;
  empty: boolean;
}

function safeFileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '-');
}

async function written(
  document: ReturnType<typeof actDocument> | ReturnType<typeof billDocument>,
  name: string,
  { out, locale }: OutputOptions,
): Promise<Row> {
  if (out === undefined) return { ...document };
  mkdirSync(out, { recursive: true, mode: 0o700 });
  async function* rows() {
    yield* documentRows(document);
  }
  const files = [
    writeText(join(out, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`),
    writeText(join(out, `${name}.csv`), await csvText(rows(), locale)),
  ];
  return { ...document, files: files.map((file) => file.name) };
}

async function paperRows({ table, accountId }: Session): Promise<Row[]> {
  const papers = await listPapers(table, accountId);
  return papers.map(({ month, number, zone, by, party, exact, carriedIn, total, carriedOut, issuedAtMs }) => ({
    month,
    number,
    zone,
    by,
    party: party.name,
    exact_rub: exact.toString(),
    carried_in_rub: carriedIn.toString(),
    total_rub: total.toString(),
    carried_out_rub: carriedOut.toString(),
    issued_at: new Date(issuedAtMs).toISOString(),
  }));
}
