/** The views that reviewers query, in Amazon Athena and in DuckDB, each after those that it reads. */

import { counterViews } from './counter-views.ts';
import { dayViews } from './day-views.ts';
import { exportViews } from './export-views.ts';
import { itemViews } from './item-views.ts';
import { priceViews } from './price-views.ts';
import type { BooksView } from './view.ts';

/** Views over `items`. */
export const booksViews: readonly BooksView[] = [...itemViews, ...priceViews, ...counterViews, ...dayViews];

/** Views over the lines that Athena reads, `items` among them, and those over these. */
export const athenaViews: readonly BooksView[] = [...exportViews, ...booksViews];

/** Views that must be empty, and what a row of each says. */
export const checkedViews = {
  unproven: 'a record whose price does not follow from its fields',
  drift: 'a counter that says something else than the records',
  model_drift: 'a day of a model that says something else than the records',
  day_drift: 'an attribute of a closed day’s row that says something else than the records',
  payment_drift: 'a prepaid account whose limit is not what was paid in',
} as const;

/** Names of the views, for people to choose from. */
export const viewNames: readonly string[] = booksViews.map(({ name }) => name);

/** Views of Athena that must be empty: the others mean nothing while one of the first two is not. */
export const athenaChecks = {
  export_gaps: 'a time that no export has',
  export_drift: 'a file of an export with more or fewer items than its manifest says',
  ...checkedViews,
} as const;
