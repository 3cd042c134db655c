import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '../support/long-runs.ts';
import { hotKeyRows } from './hot-keys.ts';
import { ceilingRows, ceilings, needRows } from './scale-model.ts';
import { scalePlot } from './scale-plot.ts';
import { simulateSettlement } from './settlement-simulation.ts';
import { queueWorkers } from '../../lambdas/routes.ts';

const page = readFileSync('docs/scale.md', 'utf8');

function tableUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [, , ...rows] = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the page about scale', () => {
  it('has the maximum rates of the model', () => {
    expect(tableUnder('Ceilings')).toEqual(ceilingRows());
  });

  // This simulation takes many times as long as the other tests of this file.
  it.runIf(isLongForm)('has the hottest keys of the simulation', { timeout: 300_000 }, async () => {
    expect(tableUnder('Hottest keys'), 'npm run simulate writes the table again').toEqual(await hotKeyRows());
  });

  it('has the resources for each rate', () => {
    expect(tableUnder('Capacity for a rate')).toEqual(needRows());
  });

  it('has the plot of the model', () => {
    expect(scalePlot(), 'npm run simulate writes the plot again').toBe(readFileSync('docs/scale.svg', 'utf8'));
  });
});

it('the scale model settles as many requests as the simulation, within 10 %', async () => {
  const { maxConcurrency: workers } = queueWorkers['finalize-cost'];
  const { perSecond } = await simulateSettlement({ seed: 1, workers, keys: 50, isLimited: false, seconds: 1 });
  const modelled = ceilings.find(({ of }) => of === 'settlement')!.perSecond(1, 1);

  expect(Math.abs(perSecond / modelled - 1)).toBeLessThan(0.1);
});
