import { isLiveHere, type ProviderState } from '../shared/callable.ts';
import { DEFAULT_DATA } from '../shared/defaults.ts';
import type { LocalOptions } from './options.ts';
import type { LocalGateway } from './start.ts';

type Kept = Pick<LocalOptions, 'dataDirectory' | 'ephemeral' | 'catalogDirectory'>;

/** What a person sees when the gateway is ready: its address, the keys, and lines that work when pasted. */
export function greeting(gateway: LocalGateway, kept: Kept, startedInMs: number): string {
  const { baseUrl, streamingUrl, webUrl, inferenceKey, managementKey, modelId, providers } = gateway;
  const anthropicBase = baseUrl.slice(0, -'/v1'.length);
  return `
  The gateway is ready (${(startedInMs / 1000).toFixed(1)} s). Ctrl-C stops it.

  base URL        ${baseUrl}
  Anthropic SDKs  ${anthropicBase}
  OpenAI SDKs     ${baseUrl}
  function URL    ${streamingUrl ?? 'none'}${webUrl === undefined ? '' : `\n  server          ${webUrl}`}
  reference       ${baseUrl}/docs
  console         ${baseUrl}/console
${keysNotice(gateway, kept)}

  providers       ${providersOf(providers, kept)}${publishedOf(gateway, kept)}

  A streamed answer:

    curl -N ${baseUrl}/messages \\
      -H "authorization: Bearer ${inferenceKey ?? '$GATEWAY_KEY'}" -H "content-type: application/json" \\
      -d '{"model": "${modelId}", "max_tokens": 200, "stream": true, "messages": [{"role": "user", "content": "Hello!"}]}'

  What is there to call:

    curl ${baseUrl}/models

  What to paste into Codex, opencode, an SDK or another client:

    npm run admin -- clients

  Keys, workspaces and budgets are managed with the management key:

    curl ${baseUrl}/keys -H "authorization: Bearer ${managementKey ?? '$MANAGEMENT_KEY'}"
`;
}

/** The words that a person sees when a process that the gateway cannot do without has ended, and the gateway ends with it. */
export function lossNotice(loss: string, { ephemeral, dataDirectory }: Kept): string {
  const data = ephemeral
    ? 'What it kept was in memory, and is gone'
    : `What it keeps is in ${dataDirectory}, and what was running is settled then`;
  return `${loss} The gateway cannot answer without it, and ends: start it again with npm start. ${data}.\n`;
}

function keysNotice({ baseUrl, inferenceKey, managementKey }: LocalGateway, kept: Kept): string {
  // What keeps nothing has no directory that a command could work on.
  const more = kept.ephemeral ? '' : ` New ones: ${adminOn(kept)} keys create --name "My key"`;
  if (inferenceKey === undefined || inferenceKey === null) return `\n  Keys were shown at the first start.${more}`;
  return `  inference key   ${inferenceKey}
  management key  ${managementKey}

  The keys are shown this once: keep them.${more}

    export GATEWAY_URL=${baseUrl} GATEWAY_KEY=${inferenceKey} MANAGEMENT_KEY=${managementKey}`;
}

/** The published catalog is in force whatever this start names: nobody should wonder why. */
function publishedOf({ publishedCatalog }: LocalGateway, kept: Kept): string {
  if (publishedCatalog === undefined) return '';
  return `\n  catalog         ${publishedCatalog}, as published (${adminOn(kept)} catalog show)`;
}

/** The command line, on the data of this gateway. */
function adminOn({ dataDirectory }: Kept): string {
  const directory = dataDirectory === DEFAULT_DATA ? '' : ` --data ${shellArgument(dataDirectory)}`;
  return `npm run admin --${directory}`;
}

/** For a shell. */
function shellArgument(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function providersOf(providers: ProviderState[], kept: Kept): string {
  const live = providers.filter(isLiveHere).map(({ name }) => name);
  const dark = providers.length - live.length;
  if (dark === 0) return live.join(', ');
  const catalog = kept.catalogDirectory === undefined ? '' : ` ${shellArgument(kept.catalogDirectory)}`;
  const command = `${kept.ephemeral ? 'npm run admin --' : adminOn(kept)} providers${catalog}`;
  return live.length > 0
    ? `${live.join(', ')}; ${dark} more without a key or an address (${command})`
    : `none of ${dark} has its key and address (${command})`;
}

/** The same for programs, in one line. Keys are null when an earlier start has shown them. */
export function readyLine(gateway: LocalGateway): string {
  return JSON.stringify({
    base_url: gateway.baseUrl,
    streaming_url: gateway.streamingUrl,
    web_url: gateway.webUrl,
    inference_key: gateway.inferenceKey,
    management_key: gateway.managementKey,
    account_id: gateway.accountId,
    workspace_id: gateway.workspaceId,
  });
}
