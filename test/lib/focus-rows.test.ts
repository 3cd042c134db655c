import { expect, it } from 'vitest';
import type { Names } from '../../lambdas/books/names.ts';
import { periodOf } from '../../lambdas/books/period.ts';
import type { Account } from '../../lambdas/store/accounts/accounts.ts';
import { focusRows } from '../../lib/admin/reports/focus-rows.ts';
import type { UnitTotal } from '../../lib/admin/reports/unit-totals.ts';
import { rub } from '../support/spending.ts';

const names = {
  key: async () => ({ name: 'server', label: 'sk-…', tags: {} }),
  workspace: async () => 'default',
} as unknown as Names;
const context = {
  account: { id: 'account', name: 'Acme' } as Account,
  period: periodOf({ from: '2026-11-01', to: '2026-11-01' }),
  names,
  issuer: 'Gateway',
};
const totalAt = (price: string): UnitTotal => ({
  day: '2026-11-01',
  workspaceId: 'workspace',
  keyHash: 'hash',
  memberId: '',
  tags: {},
  model: 'acme/model',
  providerName: 'Acme',
  endpointId: 'acme/acme/model',
  catalogVersion: 'v1',
  modelPermaslug: 'acme/model-1',
  tierAboveTokens: undefined,
  meter: 'input',
  price: rub(price),
  quantity: 2n,
  cost: rub(price).times(2),
});

it('the price id in FOCUS differs if a price changes while the catalog stays the same', async () => {
  const totals = ['0.001', '0.002', '0.001'].map(totalAt);
  const [columns, ...rows] = await Array.fromAsync(focusRows(totals, context));
  const [first, second, third] = rows.map((row) => row[columns!.indexOf('SkuPriceId')]);

  expect(second).not.toBe(first);
  expect(third).toBe(first);
});
