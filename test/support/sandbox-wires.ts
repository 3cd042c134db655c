import { textModel } from './catalog.ts';

/** The sandbox over each of its wires, with little patience, and with a provider behind it that answers well. */

interface SandboxWire {
  /** Its wire's name in the catalog, and the variable with its address. */
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

/** `test/<wire>` is the sandbox alone, `test/<wire>-or-sound` has the dear provider at this address behind it. */
export function sandboxModels(soundUrl: string): { models: object[]; providers: object[] } {
  const wires: [string, SandboxWire][] = Object.entries(sandboxWires);
  const sound = { provider: 'sound', pricing: SOUND_PRICES };
  return {
    providers: [
      { id: 'sound', name: 'Sound', wire: 'anthropic', base_url: soundUrl, data_policy: policy },
      ...wires.map(([name, { wire, address, provider }]) => ({
        id: `test-${name}`,
        name: `Sandbox ${name}`,
        wire,
        base_url_variable: address,
        data_policy: policy,
        timeouts: { connect_ms: 2_000, first_byte_ms: 1_500, idle_ms: 5_000 },
        ...provider,
      })),
    ],
    models: wires.flatMap(([name, { endpoint }]) => {
      const hostile = { provider: `test-${name}`, pricing: PRICES, upstream_model: 'm', ...endpoint };
      const more = { supported_parameters: ['tools', 'max_tokens'] };
      return [textModel(`test/${name}`, [hostile], more), textModel(`test/${name}-or-sound`, [hostile, sound], more)];
    }),
  };
}
