import { Money } from './money.ts';

/**
 * Maximum amount in RUB, more than any budget or payment. DynamoDB can store sums up to this amount with all their
 * digits.
 */
export const MAX_AMOUNT = Money.parse('1000000000000000');
