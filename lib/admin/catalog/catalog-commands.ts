import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { readCatalogFiles } from '../../../lambdas/catalog/files.ts';
import { catalogDirectory, loadCatalog } from '../../../lambdas/catalog/load.ts';
import { variablesIn } from '../../../lambdas/catalog/placeholders.ts';
import type { SearchBackendData } from '../../../lambdas/catalog/search-schema.ts';
import { optionalVariable } from '../../../lambdas/platform/environment.ts';
import { addPublishCommands } from './publish-commands.ts';
import { calibrate } from '../calibration/calibrate.ts';
import { warningsOf } from './catalog-warnings.ts';
import { importCatalog } from './import-catalog.ts';
import { selectionSchema } from './import-selection.ts';
import { fromFile } from '../command-line/mistakes.ts';
import { print, type Row } from '../../shared/output.ts';
import { readPriceList } from '../price-lists/read-price-list.ts';

/** Adds the commands for catalog files and for the published catalog. */
export function addCatalogCommands(program: Command): void {
  const catalog = program.command('catalog').description('catalog of models and prices: files and publications');
  catalog
    .command('check')
    .description('validate a catalog, count its entries, and list warnings')
    .argument('[dir]', 'default: the catalog that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const { models, search } = loadCatalog(directory);
      const providers = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.id)));
      const { json } = command.optsWithGlobals<{ json: boolean }>();
      const searchBackends = search?.listed.length ?? 0;
      const warnings = warningsOf(readCatalogFiles(directory ?? catalogDirectory()), today());
      const counts = { models: models.length, providers: providers.size, search_backends: searchBackends };
      print({ ...counts, warnings: json ? warnings : warnings.length }, json);
      if (!json) for (const warning of warnings) process.stdout.write(`  ${warning}\n`);
    });
  catalog
    .command('backends')
    .description('list the search backends, and the variables of each that are not set in this shell')
    .argument('[dir]', 'default: the catalog that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const { search } = loadCatalog(directory);
      print((search?.listed ?? []).map(backendRow), command.optsWithGlobals<{ json: boolean }>().json);
    });
  catalog
    .command('calibrate')
    .description(
      'fit the temperature of a model that decides by log-probabilities; calls its provider, which charges for it',
    )
    .argument('<model>', 'its id in the catalog')
    .action(async (model: string, _options: unknown, command: Command) => {
      print({ ...(await calibrate(loadCatalog(), model)) }, command.optsWithGlobals<{ json: boolean }>().json);
    });
  addPublishCommands(catalog);
  catalog
    .command('import')
    .description('convert price lists (USD per million tokens) to model files in roubles')
    .requiredOption(
      '--from <list...>',
      'price lists, newest last: models.dev JSON, or the folder of @earendil-works/pi-ai or @pydantic/genai-prices',
    )
    .requiredOption('--selection <file>', 'file that selects the models, see docs/catalog-import.md')
    .requiredOption('--rate <rub>', 'roubles per US dollar', parseRate)
    .option('--markup-percent <n>', 'percentage added to each price', parseDecimal, '0')
    .requiredOption('--out <dir>', 'directory for the model files')
    .action(async (options: ImportOptions, command: Command) => {
      const selection = fromFile(options.selection, (text) => selectionSchema.parse(JSON.parse(text)));
      const conversion = { rubPerUsd: options.rate, markupPercent: options.markupPercent };
      const lists = await Promise.all(options.from.map((path) => readPriceList(path, today())));
      const files = importCatalog(lists, selection, conversion);
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
  from: string[];
  selection: string;
  /** RUB per USD as decimal text. */
  rate: string;
  markupPercent: string;
  out: string;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function parseDecimal(text: string): string {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Use a plain decimal number.');
  return text;
}

/** Parses an exchange rate above zero. With a rate of zero, all models would be free. */
function parseRate(text: string): string {
  if (!/[1-9]/.test(parseDecimal(text))) throw new InvalidArgumentError('Use a number above 0.');
  return text;
}
