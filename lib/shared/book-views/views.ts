import { counterViews } from './counter-views.ts';
import { dayViews } from './day-views.ts';
import { exportViews } from './export-views.ts';
import { itemViews } from './item-views.ts';
import { priceViews } from './price-views.ts';
import type { BooksView } from './view.ts';

export const booksViews: readonly BooksView[] = [...itemViews, ...priceViews, ...counterViews, ...dayViews];

/** All views in Athena, in the order in which they read each other. */
export const athenaViews: readonly BooksView[] = [...exportViews, ...booksViews];

/** Views that must be empty, with the meaning of a row in each view. */
export const checkedViews = {
  unproven: 'a record whose cost differs from the cost computed from its fields',
  drift: 'a counter that differs from the records',
  model_drift: 'a day of a model that differs from the records',
  day_drift: 'an attribute of a closed day’s row that differs from the records',
  payment_drift: 'a prepaid account whose limit differs from its payments',
} as const;

export const viewNames: readonly string[] = booksViews.map(({ name }) => name);

/**
 * Athena views that must be empty. If `export_gaps` or `export_drift` is not empty, the other views have no valid
 * result.
 */
export const athenaChecks = {
  export_gaps: 'a period that no export covers',
  export_drift: 'a file of an export with more or fewer items than its manifest says',
  ...checkedViews,
} as const;
