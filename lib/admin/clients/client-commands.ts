import { Argument, type Command } from 'commander';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { catalogDirectory } from '../../../lambdas/catalog/load.ts';
import { configurations, type ClientConfiguration, type GatewayPlace } from './configurations.ts';
import { modelFacts } from './model-facts.ts';
import { DEFAULT_PORT } from '../../shared/defaults.ts';
import { parseBaseUrl, parseModelId } from '../command-line/arguments.ts';
import { print } from '../../shared/output.ts';

/** Adds the command that prints configuration for clients. */
export function addClientCommand(program: Command): void {
  program
    .command('clients')
    .description('print the configuration that makes a client use the gateway; without a name, list the known clients')
    .addArgument(new Argument('[name]', 'the client').choices(configurations.map(({ name }) => name)))
    .option('--url <url>', 'base URL of the gateway, with /v1', parseBaseUrl, `http://127.0.0.1:${DEFAULT_PORT}/v1`)
    .option('--model <id>', 'model that the client uses', parseModelId, 'sandbox/claude')
    .action((name: string | undefined, { url, model }: { url: string; model: string }, command: Command) => {
      const place = { baseUrl: url, model, facts: modelFacts(readCatalogFiles(catalogDirectory()), model) };
      const { json } = command.optsWithGlobals<{ json: boolean }>();
      const known = configurations.find((one) => one.name === name);
      if (!known)
        print(
          configurations.map(({ name, title, api, where }) => ({ name, title, api, where })),
          json,
        );
      else if (json) print(pasted(known, place), json);
      else process.stdout.write(configurationPage(known, place));
    });
}

function pasted({ name, api, where, text, note }: ClientConfiguration, place: GatewayPlace) {
  return { name, api, where, text: text(place), note: note ?? null };
}

function configurationPage({ title, where, text, note }: ClientConfiguration, place: GatewayPlace): string {
  return `${title}: into ${where}\n\n${text(place)}\n\n${note === undefined ? '' : `${note}\n`}`;
}
