import type { LocalGateway } from './start.ts';

/** What a person sees when the gateway is ready: its address, the keys, and lines that work when pasted. */
export function greeting(gateway: LocalGateway, startedInMs: number): string {
  const { baseUrl, streamingUrl, inferenceKey, managementKey } = gateway;
  const anthropicBase = baseUrl.slice(0, -'/v1'.length);
  const key = inferenceKey ?? '$GATEWAY_KEY';
  const keys = inferenceKey
    ? `  inference key   ${inferenceKey}\n  management key  ${managementKey}\n\n  The keys are shown this once: keep them. New ones: npm run admin -- keys create --name "My key"`
    : '  Keys were shown at the first start. New ones: npm run admin -- keys create --name "My key"';
  return `
  The gateway is ready (${(startedInMs / 1000).toFixed(1)} s). Ctrl-C stops it.

  base URL        ${baseUrl}
  Anthropic SDKs  ${anthropicBase}
  function URL    ${streamingUrl}
  reference       ${baseUrl}/docs
${keys}

  A streamed answer:

    curl -N ${baseUrl}/messages \\
      -H "authorization: Bearer ${key}" -H "content-type: application/json" \\
      -d '{"model": "sandbox/claude", "max_tokens": 200, "stream": true, "messages": [{"role": "user", "content": "Hello!"}]}'

  What is there to call:

    curl ${baseUrl}/models

  Keys, workspaces and budgets are managed with the management key:

    curl ${baseUrl}/keys -H "authorization: Bearer ${managementKey ?? '$MANAGEMENT_KEY'}"
`;
}

/** The same for programs, in one line. Keys are null when an earlier start has shown them. */
export function readyLine(gateway: LocalGateway): string {
  return JSON.stringify({
    base_url: gateway.baseUrl,
    streaming_url: gateway.streamingUrl,
    inference_key: gateway.inferenceKey,
    management_key: gateway.managementKey,
    account_id: gateway.accountId,
    workspace_id: gateway.workspaceId,
  });
}
