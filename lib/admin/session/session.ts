import type { Command } from 'commander';
import { followPublications } from '../../../lambdas/catalog/served-catalog.ts';
import { publicationInDirectory } from '../../../lambdas/catalog/publication-source.ts';
import { loadCatalog } from '../../../lambdas/catalog/load.ts';
import { GatewayError, notFound } from '../../../lambdas/platform/errors.ts';
import type { ChangeContext } from '../../../lambdas/management/change.ts';
import { readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { LocalState } from '../../shared/data-directory/state.ts';
import { withTable, type ConnectionOptions } from './connection.ts';
import { operatorOf } from './operator.ts';
import { print, type Row } from '../../shared/output.ts';

/** The context of every command that uses the table. */
export interface TableSession {
  table: Table;
  /** Undefined for a table on AWS. */
  local: LocalState | undefined;
}

/** The context of every command that works on an account. */
export interface Session extends TableSession {
  accountId: string;
  /** For commands that change the account. */
  changes: ChangeContext;
}

interface CommonOptions extends ConnectionOptions {
  json: boolean;
  account?: string;
}

/** A command's function; returns its output. @param given its options, as their parsers returned them */
type Run<Known, Given, Answer> = (session: Known, given: Given, common: CommonOptions) => Promise<Answer | Answer[]>;

interface More<Answer> {
  /** The command may create new data. */
  mayCreate?: boolean;
  /** The command restores a missing database. */
  restores?: boolean;
  /** Converts each output row to one or more table rows; JSON contains the complete row. */
  shown?: (row: Answer) => Row | Row[];
}

/** Action of a command that works on the table: runs it and prints its result. */
export function onTable<Given, Answer extends Row>(
  run: Run<TableSession, Given, Answer>,
  { mayCreate = false, restores = false, shown = (row: Answer): Row => row }: More<Answer> = {},
) {
  return async (given: Given, command: Command): Promise<void> => {
    const common = command.optsWithGlobals<CommonOptions>();
    const work = (table: Table, local: LocalState | undefined) => run({ table, local }, given, common);
    const answer = await withTable({ ...common, mayCreate, restores }, work);
    const rows: Row | Row[] = Array.isArray(answer) && !common.json ? tableRows(answer, shown) : answer;
    print(rows, common.json);
  };
}

function tableRows<Answer>(rows: Answer[], shown: (row: Answer) => Row | Row[]): Row[] {
  return rows.flatMap((row): readonly Row[] => [shown(row)].flat());
}

/** Provider ids of the current catalog; for a deployment, of this checkout's catalog. */
const providerIdsOf = (local: LocalState | undefined) => async () => {
  if (!local) return loadCatalog().providerIds;
  const deployed = () => loadCatalog(local.running()?.catalog_directory);
  const inForce = followPublications(publicationInDirectory(local.publicationsDirectory()), deployed);
  return (await inForce()).providerIds;
};

/** Action of a command that works on one account. */
export function onAccount<Given, Answer extends Row>(run: Run<Session, Given, Answer>, more?: More<Answer>) {
  return onTable<Given, Answer>(
    async (session, given, common) => run(await sessionOn(session, common), given, common),
    more,
  );
}

/** Runs a command on an account that prints its own output. @param work receives whether JSON was requested */
export function withAccount(
  command: Command,
  work: (session: Session, isJson: boolean) => Promise<void>,
): Promise<void> {
  return withTableOf(command, async (table, common, local) =>
    work(await sessionOn({ table, local }, common), common.json),
  );
}

/** Runs a command on the table that prints its own output, for any accounts. */
export async function withTableOf(
  command: Command,
  work: (table: Table, common: CommonOptions, local: LocalState | undefined) => Promise<void>,
): Promise<void> {
  const common = command.optsWithGlobals<CommonOptions>();
  await withTable({ ...common, mayCreate: false }, (table, local) => work(table, common, local));
}

/** @throws {GatewayError} if no account is given, or it does not exist */
async function sessionOn({ table, local }: TableSession, { account }: CommonOptions): Promise<Session> {
  const accountId = account ?? local?.bootstrapped()?.account_id;
  if (!accountId)
    throw new GatewayError(
      'invalid_request',
      'Pass an account with --account <id>. List accounts with "accounts list".',
    );
  if (!(await readAccount(table, accountId)))
    throw notFound(`There is no account "${accountId}". List accounts with "accounts list".`);
  const actor = await operatorOf(local === undefined);
  return { table, local, accountId, changes: { table, accountId, actor, providerIds: providerIdsOf(local) } };
}
