import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wires, type WireName } from './dialects.ts';
import { SOUND_PATH } from './hostile-upstream.ts';

/** Credential of the hostile providers, in the form of an AWS access key. */
export const CREDENTIAL = 'evil-7f3a91c2d4e6b8:0b5d8e1f6a9c';
export const PRICES = {
  prompt: '0.0001',
  completion: '0.01',
  input_cache_read: '0.00001',
  input_cache_write: '0.0002',
};

const names: Record<WireName, string> = {
  anthropic: 'claude',
  'openai-chat': 'gpt',
  'openai-responses': 'reasoner',
  'google-gemini': 'gemini',
  'bedrock-converse': 'converse',
};

const quirks: Partial<Record<WireName, object>> = {
  anthropic: { count_tokens: true },
  'openai-chat': { stream_usage: true },
};

/**
 * Returns the id of a model.
 * @param fallback whether the model has a second, working endpoint
 * @param signing whether the model's provider signs thinking itself
 */
export function modelOf({
  wire,
  fallback,
  signing,
}: {
  wire: WireName;
  fallback?: boolean;
  signing?: boolean;
}): string {
  return `evil/${names[wire]}${fallback ? '-fb' : ''}${signing ? '-signing' : ''}`;
}

/**
 * Providers of a model with a fallback, the hostile provider first; a request that names them is sent in this order.
 */
export const fallbackOrder = (wire: WireName): string[] => [`evil-${names[wire]}`, `sound-${names[wire]}`];

/** Model for an answer that continues while a test attacks the gateway. */
export const OTHER_CLIENT_MODEL = 'evil/other-client';

/** Writes a catalog of models whose first endpoint is the hostile upstream server. */
export function writeHostileCatalog(directory: string, url: string): void {
  mkdirSync(join(directory, 'models'), { recursive: true });
  const providers = wires.flatMap((wire) => [
    provider(`evil-${names[wire]}`, wire, url),
    provider(`sound-${names[wire]}`, wire, `${url}${SOUND_PATH}`),
  ]);
  // The provider runs in the test's process, which an attack may block for seconds.
  providers.push({ ...provider('patient-claude', 'anthropic', url), timeouts: { idle_ms: 60_000 } });
  const models = [
    model(OTHER_CLIENT_MODEL, ['patient-claude']),
    ...Object.values(names).flatMap((name) => [
      model(`evil/${name}`, [`evil-${name}`]),
      model(`evil/${name}-fb`, [`evil-${name}`, `sound-${name}`]),
    ]),
    model('evil/claude-signing', ['evil-claude'], { own_signatures: true }),
  ];
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(directory, 'models', 'evil.json'), JSON.stringify({ models }));
}

function provider(id: string, wire: WireName, baseUrl: string): object {
  return {
    id,
    name: id,
    wire,
    base_url: baseUrl,
    credential: 'HOSTILE_KEY',
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    // The timeouts are long enough for an answer on a busy machine, and short enough for a test that waits for a
    // timeout.
    timeouts: { connect_ms: 2_000, first_byte_ms: 3_000, idle_ms: 3_000 },
    quirks: quirks[wire] ?? {},
  };
}

function model(id: string, providers: string[], quirks: object = {}): object {
  return {
    id,
    permaslug: `${id}-1`,
    name: id,
    created: '2026-11-20',
    context_length: 200_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: providers.map((providerId, index) => ({
      id: `${id}/${index}`,
      provider: providerId,
      upstream_model: 'm',
      max_output_tokens: 100_000,
      pricing: PRICES,
      quirks,
    })),
  };
}
