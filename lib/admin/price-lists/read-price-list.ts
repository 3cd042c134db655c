import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { StartFailure } from '../../shared/failure.ts';
import { fromFile } from '../command-line/mistakes.ts';
import { GENAI_PRICES_CODE, readGenaiPrices, type GenaiPrices } from './genai-prices.ts';
import { PI_AI_DATA, readPiAi } from './pi-ai.ts';
import { parsePriceList, priceListSchema, type PriceList } from './price-list.ts';

const manifest = z.object({ name: z.string() });

/**
 * Reads a price list: a file in the format of models.dev, or the folder of a supported npm package.
 * @param day as YYYY-MM-DD, for prices that start on a date
 * @throws {Error} if the path is not a readable price list
 */
export async function readPriceList(path: string, day: string): Promise<PriceList> {
  if (!statSync(path).isDirectory()) return fromFile(path, readModelsDev);
  const { name } = fromFile(join(path, 'package.json'), (text) => manifest.parse(JSON.parse(text)));
  if (name === '@earendil-works/pi-ai') return readPiAi(piAiFiles(join(path, PI_AI_DATA)));
  if (name === '@pydantic/genai-prices') {
    const code = pathToFileURL(resolve(path, GENAI_PRICES_CODE)).href;
    return readGenaiPrices((await import(code)) as GenaiPrices, day);
  }
  throw new StartFailure(
    `${path} is not a price list. Use a file in the format of models.dev, or the folder of ` +
      `@earendil-works/pi-ai or @pydantic/genai-prices`,
  );
}

export function readModelsDev(text: string): PriceList {
  return priceListSchema.parse(parsePriceList(text));
}

function piAiFiles(directory: string): Map<string, string> {
  const files = readdirSync(directory).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  return new Map(files.map((name) => [basename(name, '.json'), readFileSync(join(directory, name), 'utf8')]));
}
