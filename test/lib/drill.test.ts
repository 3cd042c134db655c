import { describe, expect, it } from 'vitest';
import { drillRestore } from '../../lib/drill/restore.ts';
import { runDrill } from '../../lib/drill/run.ts';

describe('a drill', () => {
  // Two gateways and three commands, each in its own process; test/books/books.test.ts restores in this one.
  it.runIf(process.env['TEST_LONG'])(
    'loses a table and puts it back, and the books are right',
    { timeout: 120_000 },
    async () => {
      const steps = await drillRestore(20, () => {});
      expect(steps.filter(({ isRight }) => !isRight)).toEqual([]);
      expect(steps).toHaveLength(9);
    },
  );

  it.each([
    [[], /Say which drill: restore/],
    [['flood'], /Say which drill: restore/],
    [['restore', '--requests', 'many'], /whole number from 1 to 10000/],
    [['restore', '--loud'], /Unknown option/],
  ])('says what it needs: %j', async (args, words) => {
    await expect(runDrill(args)).rejects.toThrow(words);
  });
});
