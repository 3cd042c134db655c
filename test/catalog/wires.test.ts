import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { modalities } from '../../lambdas/catalog/modality.ts';
import { wires } from '../../lambdas/catalog/wires.ts';
import { catalogDirectory, textModel } from '../support/catalog.ts';

const lambdas = new URL('../../lambdas/', import.meta.url).pathname;
const ROOMS = /^(catalog|providers)\//;
/** Examples name providers, some of which have the name of a wire. */
const EXAMPLES = /\/examples\.ts$/;
/** Files in which the name of a wire is the id of a provider. */
const HOMONYMS: Record<string, string> = { 'http/privacy-field.ts': "'anthropic'" };
/** Some wires have the same name as their output modality, which any directory may use. */
const isModality: ReadonlySet<string> = new Set(modalities);

describe('the name of a wire', () => {
  it('exists only in the catalog and in the codecs', () => {
    const sources = readdirSync(lambdas, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !ROOMS.test(path) && !EXAMPLES.test(path))
      .map((path) => ({
        path,
        text: readFileSync(join(lambdas, path), 'utf8').replaceAll(HOMONYMS[path] ?? '\0', ''),
      }));
    const names = wires.filter((wire) => !isModality.has(wire));
    const quoted = names.flatMap((wire) => [`'${wire}'`, `"${wire}"`, `\`${wire}\``]);
    expect(sources.filter(({ text }) => quoted.some((name) => text.includes(name))).map(({ path }) => path)).toEqual(
      [],
    );
  });
});

const acme = (wire: string, quirks: object) => ({
  id: 'acme',
  name: 'Acme',
  wire,
  base_url: 'http://127.0.0.1:1',
  data_policy: { logs_prompts: false, trains_on_prompts: false },
  quirks,
});

/** Loads a catalog with this endpoint and provider, and returns the endpoint's quirks. */
function quirksOf(endpoint: object, provider: object): object {
  const pricing = { prompt: '0.0001', completion: '0.0002' };
  const directory = catalogDirectory(
    [textModel('acme/model', [{ provider: 'acme', pricing, ...endpoint }])],
    [provider],
  );
  try {
    return loadCatalog(directory.path).find('acme/model')!.endpoints[0]!.quirks;
  } finally {
    directory.remove();
  }
}

describe('the quirks of an endpoint', () => {
  const chat = acme('openai-chat', { stream_usage: false, tokenizer: 'o200k' });

  it('are those of its provider, with its own changes', () => {
    const endpoint = { quirks: { stream_usage: true, max_image_tokens: 9 } };
    expect(quirksOf(endpoint, chat)).toEqual({ stream_usage: true, tokenizer: 'o200k', max_image_tokens: 9 });
  });

  it('are its own and the common ones if its wire differs from that of its provider', () => {
    const endpoint = { wire: 'anthropic', quirks: { count_tokens: true } };
    expect(quirksOf(endpoint, chat)).toEqual({ count_tokens: true, tokenizer: 'o200k' });
  });
});
