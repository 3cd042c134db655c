import { expect, it } from 'vitest';
import { readConfig } from '../../lib/config.ts';

/** Write units of a request between a short answer under one limit and one of 5,000 tokens. */
const UNITS_OF_A_REQUEST = 40;

it('by default the table may write what the door lets in', () => {
  const { rateLimit, maxWriteUnits } = readConfig(() => undefined);
  expect(maxWriteUnits).toBeGreaterThanOrEqual(rateLimit * UNITS_OF_A_REQUEST);
});
