/** Writes plots and a table of the documentation from simulations. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { healthPlot } from './health-plot.ts';
import { hotKeyRows } from './hot-keys.ts';
import { holdPlot } from './hold-plot.ts';
import { scalePlot } from './scale-plot.ts';
import { settlementPlot } from './settlement-plot.ts';

toolArguments(
  `Usage: npm run simulate

Runs the simulations, and writes their plots and their table in docs/`,
  {},
);
writeFileSync(new URL('../../docs/health.svg', import.meta.url), await healthPlot());
writeFileSync(new URL('../../docs/settlement.svg', import.meta.url), await settlementPlot());
writeFileSync(new URL('../../docs/scale.svg', import.meta.url), scalePlot());
writeFileSync(new URL('../../docs/holds.svg', import.meta.url), await holdPlot());
await writeHotKeys(fileURLToPath(new URL('../../docs/scale.md', import.meta.url)));

/** Replaces the rows of the table under "Hottest keys". */
async function writeHotKeys(page: string): Promise<void> {
  const [before, section] = readFileSync(page, 'utf8').split(/(?<=\n## Hottest keys\n)/) as [string, string];
  const rows = (await hotKeyRows()).map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  writeFileSync(page, before + section.replace(/(?<=\n\|[ |:-]+\n)(?:\|.*\n)+/, rows));
  spawnSync(fileURLToPath(new URL('../../node_modules/.bin/oxfmt', import.meta.url)), [page], { stdio: 'inherit' });
}
