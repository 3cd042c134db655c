import { Money } from './money.ts';

/** More than any budget or payment; what is counted up to it has to fit as well, with all its digits. */
export const MAX_AMOUNT = Money.parse('1000000000000000');
