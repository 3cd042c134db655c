import type { WireName } from './dialects.ts';
import { catalogDirectory } from './catalog.ts';
import { startGateway, type RunningGateway } from './gateway.ts';
import { newClient } from './hostile-gateway.ts';
import { startHostileUpstream, type HostileUpstream } from './hostile-upstream.ts';

/** Gateway with the test's own models, whose providers answer each prompt as the test specifies. */
export interface ScriptedGateway {
  gateway: RunningGateway;
  behaves: HostileUpstream['behaves'];
  /** Client with its own key and this limit. */
  withLimit: (limitRub: number) => Promise<RunningGateway>;
  stop: () => Promise<void>;
}

export interface Script {
  models: object[];
  /** The path of a request to a provider begins with the provider's id. */
  providers: { id: string; wire: WireName; [field: string]: unknown }[];
  env?: Record<string, string>;
}

export async function startScriptedGateway({ models, providers, env = {} }: Script): Promise<ScriptedGateway> {
  const upstream = await startHostileUpstream();
  const catalog = catalogDirectory(
    models,
    providers.map((provider) => ({
      name: provider.id,
      base_url: `${upstream.url}/${provider.id}`,
      data_policy: { logs_prompts: false, trains_on_prompts: false },
      ...provider,
    })),
  );
  const gateway = await startGateway({ args: ['--catalog', catalog.path], env });
  return {
    gateway,
    behaves: upstream.behaves,
    withLimit: (limitRub) => newClient(gateway, limitRub),
    stop: async () => {
      await gateway.stop();
      await upstream.stop();
      catalog.remove();
    },
  };
}

/**
 * Requests an answer, which is short unless the body sets a length.
 * @param leaving disconnects the client
 */
export function askFor(client: RunningGateway, body: object, leaving?: AbortSignal): Promise<Response> {
  return fetch(`${client.baseUrl}/messages`, {
    method: 'POST',
    signal: leaving ?? null,
    headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 50, ...body }),
  });
}

export const generationId = ({ headers }: Response): string => headers.get('x-generation-id')!;
