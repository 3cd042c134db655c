import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reviewedItems } from '../../lambdas/store/days/reviewed-items.ts';

const root = resolve(import.meta.dirname, '../..');

/** Kinds of items that are not in `reviewedItems`; some of them have a view of another form. */
const otherEntities = [
  'account_tags',
  'alert_account',
  'alert_addresses',
  'alert_delivery',
  'alert_mark',
  'alert_scan',
  'alert_settings',
  'balance_alarm',
  'failing_provider',
  'activity_day',
  'activity_progress',
  'proved_account',
  'bookmark',
  'endpoint_health',
  'endpoint_hour',
  'endpoint_point',
  'endpoint_slot',
  'endpoint_statistics',
  'free_requests',
  'inference_claim',
  'kept_answer',
  'key_minute',
  'key_running',
  'late_seal',
  'model_month',
  'recorded_budgets',
  'schema',
  'seal_head',
  'seal_part',
  'service_budget',
  'warm_prompt',
  'workspace_slug',
];

describe('views of an export', () => {
  it('have every kind of item that the store writes', () => {
    const store = join(root, 'lambdas/store');
    const texts = [
      ...readdirSync(store, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(store, file), 'utf8')),
      readFileSync(join(root, 'lib/shared/upgrade.ts'), 'utf8'),
    ];
    const written = texts.flatMap((text) => [...text.matchAll(/entity: '([a-z_]+)'/g)].map(([, entity]) => entity!));
    const reviewed = Object.values(reviewedItems).flatMap(({ entities }) => entities);

    // The code does not write these kinds as `entity: '…'`, because the kind of a ledger entry is a field of its
    // record.
    const ofLedger = new Set(['top_up', 'refund', 'adjustment']);
    const known = [...reviewed, ...otherEntities].filter((entity) => !ofLedger.has(entity));
    expect([...new Set(written)].toSorted()).toEqual(known.toSorted());
  });

  it('have each attribute once', () => {
    for (const [name, { attributes }] of Object.entries(reviewedItems)) {
      const names = attributes.map((attribute) => attribute.name);
      expect([name, names.length]).toEqual([name, new Set(names).size]);
    }
  });
});
