import { expect, it } from 'vitest';
import { SealFindings } from '../../lib/admin/seals/findings.ts';

it('the check of seals counts all findings and prints the first ones', () => {
  const findings = new SealFindings(2);
  for (const where of ['line 1', 'line 2', 'line 3', 'line 4']) {
    findings.add({ account: 'a', date: '2026-11-20', where, says: 'is another one' });
  }

  expect(findings.count).toBe(4);
  expect(findings.text()).toBe(
    '- 2026-11-20 of a: line 1 is another one\n- 2026-11-20 of a: line 2 is another one\n- and 2 more\n',
  );
});
