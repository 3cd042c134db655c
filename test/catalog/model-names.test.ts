import { describe, expect, it } from 'vitest';
import { Catalog, type Model } from '../../lambdas/catalog/catalog.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const shipped = loadShippedCatalog();
const model = (id: string) => ({ id, endpoints: [], aliasOf: undefined, data: {} }) as unknown as Model;

describe('a model name', () => {
  it.each([
    ['by its id', 'anthropic/claude-opus-4.8', 'anthropic/claude-opus-4.8'],
    ['without its author', 'claude-opus-4.8', 'anthropic/claude-opus-4.8'],
    ['with dashes', 'claude-opus-4-8', 'anthropic/claude-opus-4.8'],
    ['with its author and dashes', 'anthropic/claude-opus-4-8', 'anthropic/claude-opus-4.8'],
    ['with a date', 'claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4.5'],
    ['with a date of Google Cloud', 'claude-haiku-4-5@20251001', 'anthropic/claude-haiku-4.5'],
    ['with its context', 'claude-opus-4-8[1m]', 'anthropic/claude-opus-4.8'],
    ['with both', 'claude-sonnet-4-5-20250929[1m]', 'anthropic/claude-sonnet-4.5'],
    ['in other letters', 'Anthropic/Claude-Sonnet-5', 'anthropic/claude-sonnet-5'],
    ['as ElevenLabs writes it', 'eleven_v4', 'elevenlabs/eleven-v4'],
    ['as ElevenLabs writes it, with its version', 'eleven_v4_turbo', 'elevenlabs/eleven-v4-turbo'],
    ['as ElevenLabs writes a transcriber', 'scribe_v2', 'elevenlabs/scribe-v2'],
    ['of the sandbox', 'gpt:free', 'sandbox/gpt:free'],
  ])('is found %s', (_, name, id) => {
    expect(shipped.meant(name)?.id).toBe(id);
  });

  it.each(['claude-opus', 'claude-opus-4-8-2025', 'claude-opus-4-8[', '[1m]', '-20250929', '', 'x'.repeat(10_000)])(
    'is not guessed from %j',
    (name) => {
      expect(shipped.meant(name)).toBeUndefined();
    },
  );

  it('is refused if it is ambiguous', () => {
    const catalog = new Catalog([model('one/m-1.5'), model('two/m-1-5'), model('two/m-1-5-20250101')], [], 'v');

    expect(catalog.meant('m-1-5')).toBeUndefined();
    expect(catalog.meant('one/m-1-5')?.id).toBe('one/m-1.5');
    // An id with a date selects the model with exactly this id.
    expect(catalog.meant('m-1-5-20250101')?.id).toBe('two/m-1-5-20250101');
  });
});
