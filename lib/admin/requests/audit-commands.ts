import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { GATEWAY_AUDIT, actorName, readAudit, type AuditEntry } from '../../../lambdas/store/accounts/audit.ts';
import type { Item } from '../../../lambdas/store/table/table.ts';
import { parseCount, parseTime } from '../command-line/arguments.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, onTable, type Session, type TableSession } from '../session/session.ts';

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description(
      'list changes of the account and who made them, newest first; --json contains the values before and after',
    )
    .option('--since <ISO time>', 'only changes since this time', parseTime)
    .option('--gateway', 'list changes of the whole gateway instead (its catalog, parts of counters)')
    .option('--limit <n>', 'maximum number of changes', parseCount, 50)
    .action((given: AuditOptions, command: Command) =>
      // Changes to the gateway itself belong to no account.
      given.gateway
        ? onTable(gatewayAuditRows, { shown: auditTableRows })(given, command)
        : onAccount(auditRows, { shown: auditTableRows })(given, command),
    );
}

interface AuditOptions {
  gateway?: boolean;
  since?: string;
  limit: number;
}

async function auditRows({ table, accountId }: Session, selection: AuditOptions) {
  return (await readAudit(table, accountId, selection)).map(auditRow);
}

async function gatewayAuditRows({ table }: TableSession, selection: AuditOptions) {
  return (await readAudit(table, GATEWAY_AUDIT, selection)).map(auditRow);
}

/** Returns an output row. It sorts the changed fields, because the table returns them in any order. */
export function auditRow({ at, action, target, actor, requestId, before, after }: AuditEntry) {
  return {
    at,
    action,
    target,
    actor,
    request_id: requestId ?? null,
    before: before === undefined ? null : withSortedFields(before),
    after: after === undefined ? null : withSortedFields(after),
  };
}

/** Returns one table row per changed field, but at least one row. */
export function auditTableRows({ at, action, target, actor, before, after }: ReturnType<typeof auditRow>): Row[] {
  const first = {
    at: `${at.slice(0, '2026-11-20'.length)} ${at.slice('2026-11-20T'.length, '2026-11-20T12:00:00'.length)}`,
    who: actorName(actor),
    action,
    target: target.replace(LONG_HASH, '$1').replace(ID_BEFORE, '$1…'),
  };
  const [change = '', ...more] = before && after ? changesOf(before, after) : [];
  const nothing = { at: BLANK, who: BLANK, action: BLANK, target: BLANK };
  return [{ ...first, changed: change }, ...more.map((changed) => ({ ...nothing, changed }))];
}

/** Matches a hash, of which tables show only the first 12 digits. */
const LONG_HASH = /\b([0-9a-f]{12})[0-9a-f]{52}\b/;
/** Matches the workspace id before a member id, which tables shorten. */
const ID_BEFORE = /\b([0-9a-f]{8})-[0-9a-f-]{27}(?=.)/;
/** Prints an empty cell. A missing value would be printed as "-". */
const BLANK = ' ';

function changesOf(before: Item, after: Item): string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => `${field}: ${short(before[field])} → ${short(after[field])}`);
}

function short(value: unknown): string {
  const text = value === undefined || value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

function withSortedFields<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withSortedFields) as Value;
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, withSortedFields(inner)])) as Value;
}
