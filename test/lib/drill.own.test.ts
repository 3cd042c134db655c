import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drills, runDrill } from '../drills/run.ts';

describe('a drill', () => {
  // Each starts gateways and commands in processes of their own: one of them stands for all in a usual run.
  it.each(Object.keys(drills).filter((name) => name === 'provider-down' || process.env['TEST_LONG']))(
    '%s shows that clients are told, and that the books are right',
    { timeout: 240_000 },
    async (name) => {
      const told: string[] = [];
      const steps = await drills[name]!({ requests: 3, report: ({ step }) => told.push(step) });

      expect(steps.filter(({ isRight }) => !isRight)).toEqual([]);
      expect(told).toEqual(steps.map(({ step }) => step));
      expect(told.at(-1)).toBe('the books');
    },
  );

  it('is rehearsed each night, whichever it is', () => {
    const nightly = readFileSync(new URL('../../.github/workflows/nightly.yml', import.meta.url), 'utf8');

    const [, names] = /drill: \[(.+)\]/.exec(nightly)!;
    expect(names!.split(', ')).toEqual(Object.keys(drills));
  });

  it.each([
    [[], /Name one drill: restore, settlement-down/],
    [['flood'], /Name one drill/],
    [['toString'], /Name one drill/],
    [['restore', 'throttled'], /Name one drill/],
    [['restore', '--requests', 'many'], /whole number from 1 to 10000/],
    [['restore', '--loud'], /Unknown option/],
  ])('says what it needs: %j', async (args, words) => {
    await expect(runDrill(args)).rejects.toThrow(words);
  });
});
