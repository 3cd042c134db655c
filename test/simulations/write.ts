/** Program that writes the plots of the documentation from the simulations that the tests run. */

import { writeFileSync } from 'node:fs';
import { healthPlot } from './health-plot.ts';
import { holdPlot } from './hold-plot.ts';
import { scalePlot } from './scale-plot.ts';
import { settlementPlot } from './settlement-plot.ts';

writeFileSync(new URL('../../docs/health.svg', import.meta.url), await healthPlot());
writeFileSync(new URL('../../docs/settlement.svg', import.meta.url), await settlementPlot());
writeFileSync(new URL('../../docs/scale.svg', import.meta.url), scalePlot());
writeFileSync(new URL('../../docs/holds.svg', import.meta.url), await holdPlot());
