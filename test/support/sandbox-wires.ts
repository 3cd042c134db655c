import { textModel } from './catalog.ts';

/** Models of the sandbox over each of its wires for messages, alone and with a working provider as fallback. */

interface SandboxWire {
  wire: string;
  address: string;
  provider?: object;
  endpoint?: object;
}

const bedrock = { credential: 'GATEWAY_SANDBOX_BEDROCK_KEY', auth: 'aws-sigv4' };

const sandboxWires = {
  anthropic: { wire: 'anthropic', address: 'GATEWAY_SANDBOX_URL' },
  chat: { wire: 'openai-chat', address: 'GATEWAY_SANDBOX_CHAT_URL' },
  responses: { wire: 'openai-responses', address: 'GATEWAY_SANDBOX_RESPONSES_URL' },
  gemini: { wire: 'google-gemini', address: 'GATEWAY_SANDBOX_GEMINI_URL' },
  converse: {
    wire: 'bedrock-converse',
    address: 'GATEWAY_SANDBOX_BEDROCK_URL',
    provider: bedrock,
  },
  invoke: {
    wire: 'anthropic',
    address: 'GATEWAY_SANDBOX_BEDROCK_URL',
    provider: bedrock,
    endpoint: { quirks: { envelope: 'bedrock-invoke' } },
  },
} satisfies Record<string, SandboxWire>;

export type SandboxWireName = keyof typeof sandboxWires;
export const sandboxWireNames = Object.keys(sandboxWires) as SandboxWireName[];

export const PRICES = { prompt: '0.001', completion: '0.01' };
export const SOUND_PRICES = { prompt: '1', completion: '1' };

const policy = { logs_prompts: false, trains_on_prompts: false };
/**
 * Models of the first group wait long on a busy machine; models of the second group wait only a second for the first
 * byte.
 */
const timeouts = {
  test: { connect_ms: 5_000, first_byte_ms: 20_000, idle_ms: 20_000 },
  impatient: { connect_ms: 5_000, first_byte_ms: 1_000, idle_ms: 20_000 },
};

/**
 * Returns the models and their providers. `test/<wire>` has only the sandbox as provider. `impatient/<wire>` waits only
 * a second for the first byte, and `impatient/<wire>-or-sound` has a fallback: the more expensive provider at
 * `soundUrl`.
 */
export function sandboxModels(soundUrl: string): { models: object[]; providers: object[] } {
  const wires: [string, SandboxWire][] = Object.entries(sandboxWires);
  const sound = { provider: 'sound', pricing: SOUND_PRICES };
  const more = { supported_parameters: ['tools', 'max_tokens'] };
  return {
    providers: [
      { id: 'sound', name: 'Sound', wire: 'anthropic', base_url: soundUrl, data_policy: policy },
      ...wires.flatMap(([name, { wire, address, provider }]) =>
        (['test', 'impatient'] as const).map((kind) => ({
          id: `${kind}-${name}`,
          name: `Sandbox ${name}`,
          wire,
          base_url_variable: address,
          data_policy: policy,
          timeouts: timeouts[kind],
          ...provider,
        })),
      ),
    ],
    models: wires.flatMap(([name, { endpoint }]) => {
      const hostile = { pricing: PRICES, upstream_model: 'm', ...endpoint };
      const patient = { ...hostile, provider: `test-${name}` };
      const impatient = { ...hostile, provider: `impatient-${name}` };
      return [
        textModel(`test/${name}`, [patient], more),
        textModel(`impatient/${name}`, [impatient], more),
        textModel(`impatient/${name}-or-sound`, [impatient, sound], more),
      ];
    }),
  };
}
