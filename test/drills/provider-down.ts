import { join } from 'node:path';
import { freePort } from '../../lib/shared/free-port.ts';
import { drillEndpoint, drillModel, drillProvider, writeDrillCatalog } from './catalog.ts';
import {
  askAsStep,
  askOneByOne,
  checkBooks,
  inDrill,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';
import { rubOf } from './roubles.ts';

/**
 * Drill: a provider is down. Requests fail over to another provider of the model. If the model has no other provider,
 * clients get an error and are not charged.
 */
export function drillProviderDown(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { parent, requests, done, start } = tools;
    const catalog = join(parent, 'catalog');
    writeCatalogWithDeadProvider(catalog, await freePort());
    const gateway = await start({ args: ['--catalog', catalog] });
    const { key } = gateway;
    const both = { gateway, key, model: 'drill/both' };
    const elsewhere = await askAsStep(tools, 'requests to a model that another provider also offers', both);
    const nowhere = await askOneByOne(gateway, { key, requests, model: 'drill/alone' });
    const areRefused = nowhere.every(({ status, costRub }) => status >= 500 && costRub === undefined);
    done('requests to a model that only this provider offers', areRefused, summarizeAnswers(nowhere));
    const after = await askAsStep(tools, 'requests afterwards', both);
    await checkBooks(tools, gateway, { key, rub: rubOf([...elsewhere, ...after]) });
  });
}

/** Writes a catalog with the sandbox, and with a provider at a port on which no program listens. */
function writeCatalogWithDeadProvider(directory: string, port: number): void {
  const providers = [
    drillProvider('down', { base_url: `http://127.0.0.1:${port}` }),
    drillProvider('up', { base_url_variable: 'GATEWAY_SANDBOX_URL' }),
  ];
  // The provider that is down is the cheapest, so it is tried first.
  const models = [
    drillModel('drill/both', [drillEndpoint('down', '0.001'), drillEndpoint('up', '0.002')]),
    drillModel('drill/alone', [{ ...drillEndpoint('down', '0.001'), id: 'drill/down-alone' }]),
  ];
  writeDrillCatalog(directory, { providers, models });
}
