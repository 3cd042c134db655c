import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { readAudit, type AuditEntry } from '../../lambdas/store/audit.ts';
import { parseCount, parseTime } from './arguments.ts';
import type { Row } from './output.ts';
import { onAccount } from './session.ts';

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('who changed what in the account, newest first; --json shows before and after')
    .option('--since <ISO time>', 'only changes from then on', parseTime)
    .option('--limit <n>', 'at most so many', parseCount, 50)
    .action(
      onAccount(async ({ table, accountId }, selection: AuditOptions, { json }) =>
        (await readAudit(table, accountId, selection)).map((entry) => auditRow(entry, json)),
      ),
    );
}

interface AuditOptions {
  since?: string;
  limit: number;
}

/** For people, the changes in one line; for programs, everything. */
export function auditRow(entry: AuditEntry, isForPrograms: boolean): Row {
  const { at, action, target, actor, requestId, before, after } = entry;
  if (isForPrograms) {
    return { at, action, target, actor, request_id: requestId ?? null, before: before ?? null, after: after ?? null };
  }
  const changed = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => !isDeepStrictEqual(before?.[field], after?.[field]),
  );
  const shown = changed.map((field) => `${field}: ${short(before?.[field])} → ${short(after?.[field])}`);
  return {
    at,
    who: actor.kind === 'operator' ? `operator ${actor.id}` : (actor.label ?? actor.id),
    action,
    target,
    changed: before && after ? shown.join(', ') : '',
  };
}

function short(value: unknown): string {
  const text = value === undefined || value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
