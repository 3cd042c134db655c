import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { variablesIn } from '../../lambdas/catalog/placeholders.ts';
import type { SearchBackendData } from '../../lambdas/catalog/search-schema.ts';
import { optionalVariable } from '../../lambdas/platform/environment.ts';
import { calibrate } from './calibration/calibrate.ts';
import { importCatalog, selectionSchema } from './import-catalog.ts';
import { fromFile } from './mistakes.ts';
import { print, type Row } from './output.ts';

/** Commands on catalog files; they need no table. */
export function addCatalogCommands(program: Command): void {
  const catalog = program.command('catalog').description('files of models and prices');
  catalog
    .command('check')
    .description('load a catalog and say what is in it')
    .argument('[dir]', 'default: the catalog that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const { models, search } = loadCatalog(directory);
      const providers = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.id)));
      const { json } = command.optsWithGlobals<{ json: boolean }>();
      const searchBackends = search?.listed.length ?? 0;
      print({ models: models.length, providers: providers.size, search_backends: searchBackends }, json);
    });
  catalog
    .command('backends')
    .description('list where web searches go, and what is not set in this shell for each')
    .argument('[dir]', 'default: the catalog that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const { search } = loadCatalog(directory);
      print((search?.listed ?? []).map(backendRow), command.optsWithGlobals<{ json: boolean }>().json);
    });
  catalog
    .command('calibrate')
    .description(
      'fit the temperature of a model that decides by log-probabilities; its provider is asked, and charges for it',
    )
    .argument('<model>', 'its id in the catalog')
    .action(async (model: string, _options: unknown, command: Command) => {
      print({ ...(await calibrate(loadCatalog(), model)) }, command.optsWithGlobals<{ json: boolean }>().json);
    });
  catalog
    .command('import')
    .description('turn a price list (models.dev JSON, USD per million tokens) into model files in roubles')
    .requiredOption('--from <file>', 'the price list')
    .requiredOption('--selection <file>', 'which models to take, see docs/catalog.md')
    .requiredOption('--rate <rub>', 'roubles for one US dollar', parseDecimal)
    .option('--markup-percent <n>', 'added on top', parseDecimal, '0')
    .requiredOption('--out <dir>', 'where the model files go')
    .action((options: ImportOptions, command: Command) => {
      const selection = fromFile(options.selection, (text) => selectionSchema.parse(JSON.parse(text)));
      const conversion = { rubPerUsd: options.rate, markupPercent: options.markupPercent };
      const files = fromFile(options.from, (text) => importCatalog(text, selection, conversion));
      mkdirSync(options.out, { recursive: true });
      let models = 0;
      for (const [name, content] of files) {
        models += content.models.length;
        writeFileSync(join(options.out, name), `${JSON.stringify(content, null, 2)}\n`);
      }
      print({ files: files.size, models }, command.optsWithGlobals<{ json: boolean }>().json);
    });
}

function backendRow({
  id,
  kind,
  base_url_variable: address,
  credential,
  folder,
  stand_in: isStandIn,
}: SearchBackendData): Row {
  const variables = [address, credential, ...variablesIn(folder ?? '')].filter((name) => name !== undefined);
  return {
    id,
    kind,
    variables: variables.join(' '),
    not_set_here: variables.filter((name) => optionalVariable(name) === undefined).join(' '),
    stand_in: isStandIn ?? false,
  };
}

interface ImportOptions {
  from: string;
  selection: string;
  /** Decimal text, exact to the last digit. */
  rate: string;
  markupPercent: string;
  out: string;
}

function parseDecimal(text: string): string {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Use a plain decimal number.');
  return text;
}
