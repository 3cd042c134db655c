import { isLiveHere, type ProviderState } from '../shared/callable.ts';
import { DEFAULT_DATA } from '../shared/defaults.ts';
import type { LocalOptions } from './options.ts';
import type { LocalGateway } from './start.ts';

type Kept = Pick<LocalOptions, 'dataDirectory' | 'ephemeral' | 'catalogDirectory'>;

/** Returns the text that `npm start` prints when the gateway is ready: its URLs, keys, and commands to paste. */
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

  Which models can be called:\n
    curl ${baseUrl}/models

  Configuration for Codex, opencode, SDKs and other clients:

    npm run admin -- clients

  Manage keys, workspaces and budgets with the management key:

    curl ${baseUrl}/keys -H "authorization: Bearer ${managementKey ?? '$MANAGEMENT_KEY'}"
`;
}

/** Text for a gateway that stops because a process that it needs has ended. */
export function lossNotice(loss: string, { ephemeral, dataDirectory }: Kept): string {
  const data = ephemeral
    ? 'Its data was in memory and is lost'
    : `Its data is in ${dataDirectory}; the next start settles the requests that were running`;
  return `${loss} The gateway cannot work without it, and stops. Start it again with npm start. ${data}.\n`;
}

function keysNotice({ baseUrl, inferenceKey, managementKey }: LocalGateway, kept: Kept): string {
  // An ephemeral gateway deletes its data directory when it stops.
  const more = kept.ephemeral ? '' : ` Create a new one: ${adminOn(kept)} keys create --name "My key"`;
  if (inferenceKey === undefined || inferenceKey === null) return `\n  Keys were printed at the first start.${more}`;
  return `  inference key   ${inferenceKey}
  management key  ${managementKey}

  The keys are only printed now, so save them.${more}

    export GATEWAY_URL=${baseUrl} GATEWAY_KEY=${inferenceKey} MANAGEMENT_KEY=${managementKey}`;
}

/** A line about the published catalog that replaces the catalog of this start. */
function publishedOf({ publishedCatalog }: LocalGateway, kept: Kept): string {
  if (publishedCatalog === undefined) return '';
  return `\n  catalog         ${publishedCatalog} (published; see ${adminOn(kept)} catalog show)`;
}

function adminOn({ dataDirectory }: Kept): string {
  const directory = dataDirectory === DEFAULT_DATA ? '' : ` --data ${shellArgument(dataDirectory)}`;
  return `npm run admin --${directory}`;
}

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
    : `none of ${dark} has a key and an address (${command})`;
}

/** Returns the URLs and keys as one line of JSON; keys are null if an earlier start has printed them. */
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
