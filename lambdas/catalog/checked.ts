/**
 * Serializes a catalog's files after they were read and checked. Reading this text is faster than reading the files,
 * and needs no schema.
 */

import { Money } from '../money/money.ts';
import type { CatalogFiles } from './catalog.ts';

/** Prefix of amounts in roubles, which distinguishes them from other texts. */
const CHECKED_AMOUNT = '₽';

export function writeChecked(files: CatalogFiles): string {
  return JSON.stringify(files, function (this: Record<string, unknown>, name, value: unknown) {
    const amount = this[name];
    if (amount instanceof Money) return CHECKED_AMOUNT + amount.toString();
    if (typeof value === 'string' && value.startsWith(CHECKED_AMOUNT))
      throw new TypeError(`The text ${name} has the form that marks amounts`);
    return value;
  });
}

export function readChecked(text: string): CatalogFiles {
  return JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(CHECKED_AMOUNT)
      ? Money.parse(value.slice(CHECKED_AMOUNT.length))
      : value,
  ) as CatalogFiles;
}
