import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drills, runDrill } from '../drills/run.ts';

describe('a drill', () => {
  // Each drill starts gateways and commands, so a usual run has only one.
  it.each(Object.keys(drills).filter((name) => name === 'provider-down' || process.env['TEST_LONG']))(
    '%s shows that clients get an error and that the books are correct',
    { timeout: 240_000 },
    async (name) => {
      const reported: string[] = [];
      const steps = await drills[name]!({ requests: 3, report: ({ step }) => reported.push(step) });

      expect(steps.filter(({ isRight }) => !isRight)).toEqual([]);
      expect(reported).toEqual(steps.map(({ step }) => step));
      expect(reported.at(-1)).toBe('the books');
    },
  );

  it('runs in the nightly workflow', () => {
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
  ])('refuses arguments with a message: %j', async (args, words) => {
    await expect(runDrill(args)).rejects.toThrow(words);
  });
});
