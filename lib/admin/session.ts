import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { GatewayError, notFound } from '../../lambdas/platform/errors.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { readAccount } from '../../lambdas/store/accounts.ts';
import type { Actor } from '../../lambdas/store/audit.ts';
import type { Table } from '../../lambdas/store/table.ts';
import type { LocalState } from '../local/state.ts';
import { withTable } from './connection.ts';
import { print, type Row } from './output.ts';

/** What every command that works on the table knows. */
export interface Session {
  table: Table;
  local: LocalState | undefined;
  accountId: string;
  /** For what changes something in the account. */
  changes: ChangeContext;
}

export interface CommonOptions {
  json: boolean;
  data: string;
  table?: string;
  pepperSecret?: string;
  account?: string;
}

export type Options = Record<string, string | undefined>;

/** Whoever is logged in at this machine. */
export function operator(): Actor {
  return { kind: 'operator', id: userInfo().username };
}

/** A command that works on the table: runs it and prints what it returns. */
export function onTable(run: (session: Pick<Session, 'table' | 'local'>, options: Options) => Promise<Row | Row[]>) {
  return async (options: Options, command: Command): Promise<void> => {
    const common = command.optsWithGlobals<CommonOptions>();
    print(await withTable(common, (table, local) => run({ table, local }, options)), common.json);
  };
}

/** A command that works on one account. */
export function onAccount(run: (session: Session, options: Options, common: CommonOptions) => Promise<Row | Row[]>) {
  return async (options: Options, command: Command): Promise<void> => {
    const common = command.optsWithGlobals<CommonOptions>();
    const result = await withTable(common, async (table, local) => {
      const accountId = common.account ?? local?.bootstrapped()?.account_id;
      if (!accountId)
        throw new GatewayError('invalid_request', 'Say which account with --account <id>; "accounts list" shows them.');
      if (!(await readAccount(table, accountId))) throw notFound(`There is no account "${accountId}".`);
      return run({ table, local, accountId, changes: { table, accountId, actor: operator() } }, options, common);
    });
    print(result, common.json);
  };
}
