import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../local/free-port.ts';
import {
  askAsStep,
  askOneByOne,
  checkBooks,
  inDrill,
  rubOf,
  seenIn,
  type DrillOptions,
  type DrillStep,
} from './drill.ts';

/** A provider does not answer: another one of the model does, and where there is none, clients are told and nothing is charged. */
export function drillProviderDown(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { parent, requests, done, start } = tools;
    const catalog = join(parent, 'catalog');
    writeCatalog(catalog, await freePort());
    const gateway = await start({ args: ['--catalog', catalog] });
    const { key } = gateway;
    const both = { gateway, key, model: 'drill/both' };
    const elsewhere = await askAsStep(tools, 'requests to a model that another provider has as well', both);
    const nowhere = await askOneByOne(gateway, { key, requests, model: 'drill/alone' });
    const areTold = nowhere.every(({ status, costRub }) => status >= 500 && costRub === undefined);
    done('requests to a model that only this provider has', areTold, seenIn(nowhere));
    const after = await askAsStep(tools, 'requests afterwards', both);
    await checkBooks(tools, gateway, { key, rub: rubOf([...elsewhere, ...after]) });
  });
}

/** A provider at a port where nothing listens, and the sandbox. */
function writeCatalog(directory: string, port: number): void {
  mkdirSync(join(directory, 'models'), { recursive: true });
  const policy = { logs_prompts: false, trains_on_prompts: false };
  const providers = [
    { id: 'down', name: 'Down', wire: 'anthropic', base_url: `http://127.0.0.1:${port}`, data_policy: policy },
    { id: 'up', name: 'Up', wire: 'anthropic', base_url_variable: 'GATEWAY_SANDBOX_URL', data_policy: policy },
  ];
  // The one that is down is the cheapest, so it is tried first.
  const models = [
    model('drill/both', [endpoint('down', '0.001'), endpoint('up', '0.002')]),
    model('drill/alone', [{ ...endpoint('down', '0.001'), id: 'drill/down-alone' }]),
  ];
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(directory, 'models', 'drill.json'), JSON.stringify({ models, aliases: [] }));
}

const endpoint = (provider: string, prompt: string) => ({
  id: `drill/${provider}`,
  provider,
  upstream_model: 'claude',
  max_output_tokens: 10_000,
  pricing: { prompt, completion: '0.002' },
});
const model = (id: string, endpoints: object[]) => ({
  id,
  permaslug: `${id}-1`,
  name: id,
  created: '2026-11-20',
  context_length: 100_000,
  input_modalities: ['text'],
  output_modalities: ['text'],
  endpoints,
});
