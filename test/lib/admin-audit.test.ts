import { expect, it } from 'vitest';
import type { AuditEntry } from '../../lambdas/store/accounts/audit.ts';
import { auditRow, auditTableRows } from '../../lib/admin/requests/audit-commands.ts';

const entry: AuditEntry = {
  at: '2026-11-20T12:00:00.000Z',
  action: 'key.update',
  target: `key ${'5ff7'.repeat(16)}`,
  actor: { kind: 'operator', id: 'ann' },
  requestId: undefined,
  // The table returns the fields of a map in any order.
  before: {
    limit_reset: 'daily',
    disabled: false,
    privacy: { block_logging: true, allowed: ['openai'] },
    limit_rub: null,
  },
  after: { privacy: { allowed: ['openai'], block_logging: true }, limit_rub: null, disabled: true, limit_reset: null },
};

it('the text of the audit log has a line for each change, and ignores the order of fields', () => {
  const shown = auditTableRows(auditRow(entry));

  expect(shown).toMatchObject([
    { at: '2026-11-20 12:00:00', who: 'operator ann', target: 'key 5ff75ff75ff7', changed: 'disabled: false → true' },
    { at: ' ', target: ' ', changed: 'limit_reset: daily → -' },
  ]);
});

it('the text of the audit log names the member of a change', () => {
  const target = 'member 01a2042d-175b-77ea-8000-0123456789ab/ann';

  const [shown] = auditTableRows(auditRow({ ...entry, target }));

  expect(shown).toMatchObject({ target: 'member 01a2042d…/ann' });
});

it('the JSON of the audit log has all fields before and after, in a fixed order', () => {
  const { before, after } = entry;
  const other = { ...entry, before: Object.fromEntries(Object.entries(before!).toReversed()) };

  expect(auditRow(entry)).toMatchObject({ actor: { kind: 'operator', id: 'ann' }, before, after });
  expect(JSON.stringify(auditRow(other))).toBe(JSON.stringify(auditRow(entry)));
});
