import { Money } from './money.ts';

/** More than any budget or payment. Sums up to it must also fit, with all their digits. */
export const MAX_AMOUNT = Money.parse('1000000000000000');
