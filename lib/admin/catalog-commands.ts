import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { importCatalog, selectionSchema } from './import-catalog.ts';
import { print } from './output.ts';

/** Commands on catalog files; they need no table. */
export function addCatalogCommands(program: Command): void {
  const catalog = program.command('catalog').description('files of models and prices');
  catalog
    .command('check')
    .description('load a catalog and say what is in it')
    .argument('[dir]', 'default: the catalog that comes with the code')
    .action((directory: string | undefined, _options: unknown, command: Command) => {
      const { models } = loadCatalog(directory);
      const providers = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.id)));
      const { json } = command.optsWithGlobals<{ json: boolean }>();
      print({ models: models.length, providers: providers.size }, json);
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
      const selection = selectionSchema.parse(JSON.parse(readFileSync(options.selection, 'utf8')));
      const conversion = { rubPerUsd: options.rate, markupPercent: options.markupPercent };
      const files = importCatalog(readFileSync(options.from, 'utf8'), selection, conversion);
      mkdirSync(options.out, { recursive: true });
      let models = 0;
      for (const [name, content] of files) {
        models += content.models.length;
        writeFileSync(join(options.out, name), `${JSON.stringify(content, null, 2)}\n`);
      }
      print({ files: files.size, models }, command.optsWithGlobals<{ json: boolean }>().json);
    });
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
