/** Program that writes the plots and a table of the documentation from the simulations that the tests run. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { healthPlot } from './health-plot.ts';
import { hotKeyRows } from './hot-keys.ts';
import { holdPlot } from './hold-plot.ts';
import { scalePlot } from './scale-plot.ts';
import { settlementPlot } from './settlement-plot.ts';

writeFileSync(new URL('../../docs/health.svg', import.meta.url), await healthPlot());
writeFileSync(new URL('../../docs/settlement.svg', import.meta.url), await settlementPlot());
writeFileSync(new URL('../../docs/scale.svg', import.meta.url), scalePlot());
writeFileSync(new URL('../../docs/holds.svg', import.meta.url), await holdPlot());
await writeHotKeys(fileURLToPath(new URL('../../docs/scale.md', import.meta.url)));

/** Replaces the rows of the table under "Hottest keys", and formats the page. */
async function writeHotKeys(page: string): Promise<void> {
  const [before, section] = readFileSync(page, 'utf8').split(/(?<=\n## Hottest keys\n)/) as [string, string];
  const rows = (await hotKeyRows()).map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  writeFileSync(page, before + section.replace(/(?<=\n\|[ |:-]+\n)(?:\|.*\n)+/, rows));
  spawnSync(fileURLToPath(new URL('../../node_modules/.bin/oxfmt', import.meta.url)), [page], { stdio: 'inherit' });
}
