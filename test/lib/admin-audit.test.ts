import { expect, it } from 'vitest';
import type { AuditEntry } from '../../lambdas/store/audit.ts';
import { auditRow } from '../../lib/admin/audit-commands.ts';

const entry: AuditEntry = {
  at: '2026-11-20T12:00:00.000Z',
  action: 'key.update',
  target: 'key 5ff7',
  actor: { kind: 'operator', id: 'ann' },
  requestId: undefined,
  // The table keeps the fields of a map in no order.
  before: { disabled: false, privacy: { block_logging: true, allowed: ['openai'] }, limit_rub: null },
  after: { privacy: { allowed: ['openai'], block_logging: true }, limit_rub: null, disabled: true },
};

it('shows a person what changed, and no field that only came in another order', () => {
  expect(auditRow(entry, false)).toMatchObject({ who: 'operator ann', changed: 'disabled: false → true' });
});

it('shows a program everything, before and after', () => {
  const { before, after } = entry;
  expect(auditRow(entry, true)).toMatchObject({ actor: { kind: 'operator', id: 'ann' }, before, after });
});
