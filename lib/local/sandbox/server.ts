import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicError, anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import { isSignedWith } from './aws-signature.ts';
import { bedrockError, converseWriter, invokeWriter, readConversePrompt, readInvokePrompt } from './bedrock.ts';
import { chatError, chatWriter, readChatPrompt } from './openai-chat.ts';
import { play, type WireWriter } from './player.ts';
import { writeScript, type SandboxPrompt } from './script.ts';

/**
 * The upstream of the sandbox/… models: a server on loopback that speaks the providers' formats over real HTTP, so
 * that a newcomer without a provider key, and every test, runs the same code as production.
 */
export interface SandboxUpstream {
  anthropicUrl: string;
  chatUrl: string;
  bedrockUrl: string;
  /** An access key, `<id>:<secret>`: requests there have to be signed with it. */
  bedrockKey: string;
  stop: () => Promise<void>;
}

interface Wire {
  read: (request: never, betas?: string) => SandboxPrompt;
  writer: (model: string) => WireWriter;
  error: (status: number, message?: string) => object;
}

const wires: [path: RegExp, wire: Wire][] = [
  [/^\/anthropic\/v1\/messages$/, { read: readAnthropicPrompt, writer: anthropicWriter, error: anthropicError }],
  [/^\/openai\/v1\/chat\/completions$/, { read: readChatPrompt, writer: chatWriter, error: chatError }],
  [
    /^\/bedrock\/model\/[^/]+\/converse-stream$/,
    { read: readConversePrompt, writer: converseWriter, error: bedrockError },
  ],
  [
    /^\/bedrock\/model\/[^/]+\/invoke-with-response-stream$/,
    { read: readInvokePrompt, writer: invokeWriter, error: bedrockError },
  ],
];

export async function startSandbox(): Promise<SandboxUpstream> {
  const key = { id: 'SANDBOX', secret: randomBytes(24).toString('hex') };
  const server = createServer((request, response) => {
    answer(request, response, key).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    anthropicUrl: `${base}/anthropic`,
    chatUrl: `${base}/openai/v1`,
    bedrockUrl: `${base}/bedrock`,
    bedrockKey: `${key.id}:${key.secret}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  key: { id: string; secret: string },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { url = '', method = '', headers } = request;
  if (url.startsWith('/bedrock/') && !isSignedWith(key, { method, url, headers, body: bytes })) {
    sendJson(response, 403, bedrockError(403, 'The request signature we calculated does not match'));
    return;
  }
  const body = JSON.parse(bytes.toString('utf8')) as { model: string };
  if (url === '/anthropic/v1/messages/count_tokens') {
    const { inputTokens } = writeScript(readAnthropicPrompt(body as never));
    sendJson(response, 200, { input_tokens: inputTokens });
    return;
  }
  const wire = wires.find(([path]) => path.test(url))?.[1];
  if (!wire) {
    sendJson(response, 404, { error: { type: 'not_found_error', message: 'The sandbox has no such path' } });
    return;
  }
  const prompt = wire.read(body as never, String(headers['anthropic-beta'] ?? ''));
  if (prompt.refusal !== undefined) {
    sendJson(response, 400, wire.error(400, prompt.refusal));
    return;
  }
  const script = writeScript(prompt);
  if (script.directives.error !== undefined) {
    await sleep(script.directives.firstMs);
    sendJson(response, script.directives.error, wire.error(script.directives.error));
    return;
  }
  await play(script, wire.writer(body.model), response);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
