import { append } from '../platform/append.ts';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { CatalogFiles } from './catalog.ts';
import { issueText } from '../platform/zod-messages.ts';
import { CatalogError } from './catalog-error.ts';
import { checkModels, type Located } from './check-models.ts';
import { checkQuirks } from './check-quirks.ts';
import { modelsFileSchema, providersFileSchema, type AliasData, type ModelData, type ProviderData } from './schema.ts';
import { checkSearch, checkSearchPrices, searchFileSchema } from './search-schema.ts';

/** Enough characters to distinguish all catalogs of a deployment. */
const VERSION_CHARACTERS = 12;

/**
 * Reads and checks the files of a catalog.
 * @throws {CatalogError} the first error, with the file or directory, and the field if there is one
 */
export function readCatalogFiles(directory: string): CatalogFiles {
  const hash = createHash('sha256');
  const read = <Schema extends z.ZodType>(path: string, place: string, schema: Schema): z.infer<Schema> => {
    const text = readCatalogText(path);
    hash.update(`${place}\n${text.length}\n${text}`);
    return parseFile(text, place, schema);
  };
  const { providers } = read(join(directory, 'providers.json'), 'providers.json', providersFileSchema);
  const models: Located<ModelData>[] = [];
  const aliases: Located<AliasData>[] = [];
  for (const file of modelFiles(directory)) {
    const place = `models/${file}`;
    const content = read(join(directory, 'models', file), place, modelsFileSchema);
    append(
      models,
      content.models.map((value, index) => ({ value, place: `${place}: models[${index}]` })),
    );
    append(
      aliases,
      content.aliases.map((value, index) => ({ value, place: `${place}: aliases[${index}]` })),
    );
  }
  const searchPath = join(directory, 'search.json');
  const search = existsSync(searchPath) ? read(searchPath, 'search.json', searchFileSchema) : undefined;
  if (models.length === 0) throw new CatalogError(`The catalog directory ${directory} lists no model in models/*.json`);
  checkProviderFiles(providers);
  checkModels(providers, models, aliases);
  if (search) {
    checkSearch(search);
    checkSearchPrices(models);
  }
  return {
    providers,
    models: models.map((model) => model.value),
    aliases: aliases.map((alias) => alias.value),
    search,
    version: hash.digest('hex').slice(0, VERSION_CHARACTERS),
  };
}

function modelFiles(directory: string): string[] {
  try {
    return readdirSync(join(directory, 'models'))
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    throw new CatalogError(`The catalog directory ${directory} has no readable folder "models"`);
  }
}

function readCatalogText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CatalogError(`The catalog file ${path} cannot be read`);
  }
}

function parseFile<Schema extends z.ZodType>(text: string, place: string, schema: Schema): z.infer<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CatalogError(`${place} is not JSON: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new CatalogError(`${place}: ${fieldPath(issue.path)}: ${issueText(issue)}`);
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  );
}

function checkProviderFiles(providers: ProviderData[]): void {
  const seen = new Set<string>();
  for (const [index, provider] of providers.entries()) {
    const place = `providers.json: providers[${index}]`;
    if (seen.has(provider.id)) throw new CatalogError(`${place}.id: the provider "${provider.id}" is listed twice`);
    if ((provider.base_url === undefined) === (provider.base_url_variable === undefined)) {
      throw new CatalogError(`${place}: set exactly one of base_url and base_url_variable`);
    }
    if (provider.auth === 'gigachat-oauth' && !provider.token_url) {
      throw new CatalogError(
        `${place}.token_url: is required for the scheme "${provider.auth}": the URL that issues its tokens`,
      );
    }
    checkQuirks(provider.wire, provider.quirks, place);
    seen.add(provider.id);
  }
}
