import type { Command } from 'commander';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { providerStates } from '../local/callable.ts';
import { print } from './output.ts';

/** Who can be called from this shell; it needs no table. */
export function addProviderCommand(program: Command): void {
  program
    .command('providers')
    .description('list providers, the variable that lights each up, and whether it is set in this shell')
    .argument('[dir]', 'a catalog; default: the one that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const rows = providerStates(loadCatalog(directory)).map(({ id, name, variable, isLive, models }) => ({
        id,
        name,
        variable,
        state: isLive ? 'live' : 'no key',
        models,
      }));
      print(rows, command.optsWithGlobals<{ json: boolean }>().json);
    });
}
