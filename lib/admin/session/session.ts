import type { Command } from 'commander';
import { followPublications } from '../../../lambdas/catalog/served-catalog.ts';
import { publicationInDirectory } from '../../../lambdas/catalog/publication-source.ts';
import { loadCatalog } from '../../../lambdas/catalog/load.ts';
import type { AlertCheck } from '../../../lambdas/store/alerts/alert-check.ts';
import { checkPayer } from '../../../lambdas/alerts/check-payer.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { GatewayError, notFound } from '../../../lambdas/platform/errors.ts';
import type { ChangeContext } from '../../../lambdas/management/change.ts';
import { readAccount } from '../../../lambdas/store/accounts/accounts.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { LocalState } from '../../shared/data-directory/state.ts';
import { withTable, type ConnectionOptions } from './connection.ts';
import { operatorOf } from './operator.ts';
import { print, type Row } from '../../shared/output.ts';

export interface TableSession {
  table: Table;
  /** State of the local gateway; undefined for a table on AWS. */
  local: LocalState | undefined;
}

export interface Session extends TableSession {
  accountId: string;
  changes: ChangeContext;
}

interface CommonOptions extends ConnectionOptions {
  json: boolean;
  account?: string;
}

/**
 * Runs a command, and returns its output.
 * @param given parsed options of the command
 */
type Run<Known, Given, Answer> = (session: Known, given: Given, common: CommonOptions) => Promise<Answer | Answer[]>;

interface More<Answer> {
  mayCreate?: boolean;
  restores?: boolean;
  /** Converts a row of a list to rows of the printed table; `--json` prints the row itself. */
  shown?: (row: Answer) => Row | Row[];
}

/** Returns a command's action, which runs the command on the table and prints its output. */
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

/** Returns the provider ids in the current catalog; for a deployment, in the catalog of this checkout. */
const providerIdsOf = (local: LocalState | undefined) => async () => {
  if (!local) return loadCatalog().providerIds;
  const deployed = () => loadCatalog(local.running()?.catalog_directory);
  const inForce = followPublications(publicationInDirectory(local.publicationsDirectory()), deployed);
  return (await inForce()).providerIds;
};

/** Returns a command's action, which runs the command on one account and prints its output. */
export function onAccount<Given, Answer extends Row>(run: Run<Session, Given, Answer>, more?: More<Answer>) {
  return onTable<Given, Answer>(
    async (session, given, common) => run(await sessionOn(session, common), given, common),
    more,
  );
}

/** Runs a command for one account, which prints its output itself. */
export function withAccount(
  command: Command,
  work: (session: Session, isJson: boolean) => Promise<void>,
): Promise<void> {
  return withTableOf(command, async (table, common, local) =>
    work(await sessionOn({ table, local }, common), common.json),
  );
}

/** Runs a command that works on the table and prints its output itself. */
export async function withTableOf(
  command: Command,
  work: (table: Table, common: CommonOptions, local: LocalState | undefined) => Promise<void>,
): Promise<void> {
  const common = command.optsWithGlobals<CommonOptions>();
  await withTable({ ...common, mayCreate: false }, (table, local) => work(table, common, local));
}

/**
 * Opens a session on the given account, or else on the local gateway's account.
 * @throws {GatewayError} 400 if no account is given or known; 404 if it does not exist
 */
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
  const checkAlerts = async (check: AlertCheck) => void (await checkPayer(table, check, nowMs()));
  const changes = { table, accountId, actor, providerIds: providerIdsOf(local), checkAlerts };
  return { table, local, accountId, changes };
}
