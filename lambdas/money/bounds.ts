import { Money } from './money.ts';

/** Maximum amount, more than any budget or payment. Sums up to it must also be stored with all their digits. */
export const MAX_AMOUNT = Money.parse('1000000000000000');
