import { unitTable } from '../../../lambdas/catalog/billing-units.ts';
import type { Meter } from '../../../lambdas/catalog/unit-lists.ts';

export function unitLabels(language: 'en' | 'ru'): Record<Meter, string> {
  return Object.fromEntries(unitTable.map(({ meter, label }) => [meter, label[language]])) as Record<Meter, string>;
}
