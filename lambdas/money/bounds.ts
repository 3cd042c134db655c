import { Money } from './money.ts';

/** Maximum amount in RUB; DynamoDB stores it with all its digits. */
export const MAX_AMOUNT = Money.parse('1000000000000000');
