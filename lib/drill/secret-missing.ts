import { renameSync } from 'node:fs';
import { join } from 'node:path';
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

/** The secret that turns keys into their hashes is another one: no key is known, nothing is lost, and all is well once it is back. */
export function drillSecretMissing(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { data, requests, done, start } = tools;
    const secrets = join(data, 'secrets.json');
    const first = await start();
    const { key } = first;
    const before = await askAsStep(tools, 'requests before', { gateway: first, key });
    await first.stop();
    renameSync(secrets, `${secrets}.lost`);
    const second = await start();
    const refused = await askOneByOne(second, { key, requests });
    const areRefused = refused.every(({ status }) => status === 401);
    done('requests with another secret', areRefused, seenIn(refused));
    await second.stop();
    renameSync(`${secrets}.lost`, secrets);
    const third = await start();
    const after = await askAsStep(tools, 'requests with the secret put back', { gateway: third, key });
    await checkBooks(tools, third, { key, rub: rubOf([...before, ...after]) });
  });
}
