import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSignedWith } from './aws-signature.ts';
import { bedrockRefusal } from './bedrock.ts';
import { objectionToDirectives } from './fault-injection.ts';
import { play } from './player.ts';
import { withRequestedJson } from './prompt.ts';
import { writeScript } from './script.ts';
import { sendJson } from './send-json.ts';
import { answerSearch } from './search/answer.ts';
import type { Studio } from './video/studio.ts';
import { deliver, loadWholeAnswers } from './whole-answers.ts';
import { wireRequestFor, type SandboxWire } from './wires.ts';

/** Local server that answers for the sandbox/… models in the formats of the providers. */
export interface SandboxUpstream {
  anthropicUrl: string;
  chatUrl: string;
  geminiUrl: string;
  responsesUrl: string;
  /** Base URL of the video endpoints, in the format of OpenRouter's API. */
  videoUrl: string;
  bedrockUrl: string;
  /** Access key `<id>:<secret>` with which requests to Bedrock must be signed. */
  bedrockKey: string;
  /** Base URL of the search engine, which responds in the format of SearXNG. */
  searchUrl: string;
  stop: () => Promise<void>;
}

const FILMS = '/films';
const KEPT_ALIVE_MS = 10 * 60_000;

export async function startSandbox(): Promise<SandboxUpstream> {
  const key = { id: 'SANDBOX', secret: randomBytes(24).toString('hex') };
  const parts = { key, studio: lazyStudio(), wholeAnswers: await loadWholeAnswers() };
  // Many providers keep idle connections open for minutes, so the sandbox does as well.
  const server = createServer({ keepAliveTimeout: KEPT_ALIVE_MS }, (request, response) => {
    answerSandboxRequest(request, response, parts).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    anthropicUrl: `${base}/anthropic`,
    chatUrl: `${base}/openai/v1`,
    geminiUrl: `${base}/gemini/v1beta`,
    responsesUrl: `${base}/openai/v1`,
    videoUrl: `${base}${FILMS}`,
    bedrockUrl: `${base}/bedrock`,
    bedrockKey: `${key.id}:${key.secret}`,
    searchUrl: `${base}/searxng`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

/** Returns video endpoints that load their code at the first request: it is slow to load, and few runs need it. */
function lazyStudio(): Studio {
  let opened: Promise<Studio> | undefined;
  return async (...requested) => {
    opened ??= import('./video/studio.ts').then(({ openStudio }) => openStudio());
    await (
      await opened
    )(...requested);
  };
}

interface Parts {
  key: { id: string; secret: string };
  studio: Studio;
  wholeAnswers: Awaited<ReturnType<typeof loadWholeAnswers>>;
}

async function answerSandboxRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { key, studio, wholeAnswers }: Parts,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { url = '', method: verb = '', headers } = request;
  if (url.startsWith('/searxng/')) {
    await answerSearch(new URL(url, 'http://sandbox').searchParams, response);
    return;
  }
  if (url.startsWith(`${FILMS}/`)) {
    const idempotencyKey = headers['idempotency-key'] as string | undefined;
    const requested = { method: verb, path: url.slice(FILMS.length), body: bytes.toString('utf8'), idempotencyKey };
    await studio(requested, `http://${headers.host}${FILMS}`, response);
    return;
  }
  if (url.startsWith('/bedrock/') && !isSignedWith(key, { method: verb, url, headers, body: bytes })) {
    sendJson(response, 403, bedrockRefusal(403, 'The request signature we calculated does not match'));
    return;
  }
  const whole = await wholeAnswers[url]?.((await sandboxBody(bytes, headers['content-type'])) as never);
  if (whole) {
    await deliver(whole, response);
    return;
  }
  const wireRequest = wireRequestFor(url);
  if (!wireRequest) {
    sendJson(response, 404, { error: { type: 'not_found_error', message: 'The sandbox has no such path' } });
    return;
  }
  const text = bytes.toString('utf8');
  const body = JSON.parse(text) as { model: string; generateContentRequest?: object };
  const { wire, method, model = body.model } = wireRequest;
  if (method === 'count') {
    sendJson(response, 200, wire.count!(writeScript(wire.read((body.generateContentRequest ?? body) as never))));
    return;
  }
  const prompt = withRequestedJson(wire.read(body as never, String(headers['anthropic-beta'] ?? '')), text);
  const script = writeScript(prompt);
  const { error, retryAfterSeconds, firstMs, hang } = script.directives;
  const refuse = (status: number, message: string) =>
    sendRefusal(response, wire, { status, message, retryAfterSeconds });
  const objection = prompt.refusal ?? objectionToDirectives(script.directives, wire.fields);
  if (objection !== undefined) {
    refuse(400, objection);
    return;
  }
  // The sandbox never answers, to test the gateway's timeout.
  if (hang) return;
  if (error !== undefined) {
    await sleep(firstMs);
    refuse(error, `The sandbox was asked to answer with status ${error}`);
    return;
  }
  await play(script, wire.writer(model), wire.fields, response);
}

/** Parses a body, which is JSON or a form. */
async function sandboxBody(bytes: Buffer, contentType = ''): Promise<unknown> {
  if (!contentType.startsWith('multipart/')) return JSON.parse(bytes.toString('utf8'));
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
}

interface SandboxRefusal {
  status: number;
  message: string;
  retryAfterSeconds: number | undefined;
}

function sendRefusal(
  response: ServerResponse,
  wire: SandboxWire,
  { status, message, retryAfterSeconds }: SandboxRefusal,
): void {
  const headers = wire.refusalHeaders(status, retryAfterSeconds);
  sendJson(response, status, wire.refusal(status, message, retryAfterSeconds), headers);
}
