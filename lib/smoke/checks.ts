/** Checks how a deployment behaves towards clients. */

import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_COMPRESSED_CHARACTERS } from '../../lambdas/http/compressed.ts';
import { call, demand, expectJson, expectStatus, FailedError, SkippedError, type Target } from './target.ts';

export interface Findings {
  /** If true, checks that need the key are skipped. */
  isKeyRefused?: boolean;
  model?: string;
  generationId?: string;
  /** Cost of the request `generationId`, as its response reported it. */
  reportedCost?: string | undefined;
}

export interface SmokeCheck {
  name: string;
  /** The check is skipped if the key was rejected, or if it needs a model and none was found. */
  needs?: 'key' | 'model';
  /**
   * @returns a detail for the report
   * @throws {FailedError} if the deployment did not behave as required
   * @throws {SkippedError} if the check cannot be done
   */
  run: (target: Target, findings: Findings) => Promise<string>;
}

/** Typical number of tokens of a request's prompt, and of its answer. Used to compare token prices with fees per request. */
const REQUEST_TOKENS = 16;

interface SmokeModel {
  id: string;
  /** Whether an endpoint of the model can be called. */
  available?: boolean;
  pricing?: { prompt?: string; completion?: string; request?: string };
  architecture?: { output_modalities?: string[] };
}

const question = (model: string, more: object = {}) => ({
  model,
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Answer with one word: hello.' }],
  ...more,
});

interface ErrorBody {
  type?: string;
  error?: { type?: string; message?: string; metadata?: { field?: string } };
}

/** Returns the error of a response. Checks its status and that it has the format that clients expect. */
async function errorOf(response: Response, status: number): Promise<NonNullable<ErrorBody['error']>> {
  const { type, error } = await expectJson<ErrorBody>(response, status);
  demand(
    type === 'error' && typeof error?.message === 'string',
    `a ${status} without the gateway's error format: a proxy or CDN in front of the gateway sent it. Let it pass on the gateway's errors unchanged`,
  );
  return error!;
}

async function listsModels(target: Target, findings: Findings): Promise<string> {
  const { data } = await expectJson<{ data: SmokeModel[] }>(await call(target, '/models', { key: null }));
  demand(data.length > 0, 'the list of models is empty: check the current catalog (npm run admin -- catalog show)');
  if (findings.isKeyRefused) return `${data.length} models`;
  findings.model = target.model ?? (await cheapestUsable(target)).id;
  return `${data.length} models; using ${findings.model}`;
}

/** Returns the cheapest available text model that this key may use and whose price is above zero. */
async function cheapestUsable(target: Target): Promise<SmokeModel> {
  const { data } = await expectJson<{ data: SmokeModel[] }>(await call(target, '/models/user'));
  const texts = data.filter(({ id, available, architecture }) => {
    return available === true && !id.endsWith(':free') && architecture?.output_modalities?.join() === 'text';
  });
  const cost = ({ pricing: { prompt = '0', completion = '0', request = '0' } = {} }: SmokeModel) =>
    REQUEST_TOKENS * (Number(prompt) + Number(completion)) + Number(request);
  const [cheapest] = texts.filter((model) => cost(model) > 0).toSorted((a, b) => cost(a) - cost(b));
  if (!cheapest) {
    throw new FailedError(
      'no model with a price can be used with this key: check that the keys of providers are set. If you have just set them, wait: functions read them again within five minutes',
    );
  }
  return cheapest;
}

async function compresses(target: Target): Promise<string> {
  const response = await call(target, '/models', { key: null, headers: { 'accept-encoding': 'gzip' } });
  await expectStatus(response, 200);
  const encoding = response.headers.get('content-encoding');
  const { length } = await response.text();
  if (encoding === null && length < MIN_COMPRESSED_CHARACTERS)
    throw new SkippedError('the list of models is too short');
  demand(
    encoding === 'gzip',
    `content-encoding is ${encoding ?? 'absent'}, not gzip, for ${length} characters: a proxy or CDN in front removes accept-encoding, or decompresses responses. Let it pass on both unchanged`,
  );
  return 'gzip';
}

async function refusesStrangers(target: Target): Promise<string> {
  await refusesKey(target, 'without a key', null);
  await refusesKey(target, 'with an unknown key', `sk-mg-v1-${'0'.repeat(64)}`);
  return '401 without a key and with an unknown key';
}

async function refusesKey(target: Target, how: string, key: string | null): Promise<void> {
  const response = await call(target, '/messages', { key, body: question('any') });
  const isLetIn = response.status < 500 && response.status !== 401 && response.status !== 403;
  demand(
    !isLetIn,
    `a request ${how} was accepted with ${response.status} instead of 401, so anyone can spend money. Close the address, then find out which proxy in front of the gateway adds a key`,
  );
  await errorOf(response, 401);
}

async function namesFields(target: Target, { model }: Findings): Promise<string> {
  const wrong = question(model!, { max_tokens: 'many' });
  const { metadata, message } = await errorOf(await call(target, '/messages', { body: wrong }), 400);
  demand(`${metadata?.field} ${message}`.includes('max_tokens'), `a 400 that does not name max_tokens: ${message}`);
  return `400 for max_tokens`;
}

async function refusesUnknownRoutes(target: Target): Promise<string> {
  await errorOf(await call(target, '/no-such-route'), 404);
  await errorOf(await call(target, '/models/no%2Fsuch-model'), 404);
  return '404, as JSON';
}

async function counts(target: Target, { model }: Findings): Promise<string> {
  const { max_tokens: _, ...prompt } = question(model!);
  const { input_tokens: tokens } = await expectJson<{ input_tokens: number }>(
    await call(target, '/messages/count_tokens', { body: prompt }),
  );
  demand(Number.isInteger(tokens) && tokens > 0, `${tokens} tokens`);
  return `${tokens} tokens`;
}

interface MessageBody {
  id: string;
  content: unknown[];
  usage: { output_tokens: number; cost?: number | string };
}

async function answers(target: Target, findings: Findings): Promise<string> {
  const begunAtMs = performance.now();
  const response = await call(target, '/messages', { body: question(findings.model!) });
  const text = response.clone();
  const { id, content, usage } = await expectJson<MessageBody>(response);
  const reported = /"cost":\s*([0-9.eE-]+)/.exec(await text.text())?.[1];
  findings.generationId = id;
  findings.reportedCost = reported;
  demand(content.length > 0 || usage.output_tokens > 0, 'the answer has no content');
  const header = response.headers.get('x-generation-id');
  demand(
    header === id,
    `x-generation-id is ${header ?? 'absent'}, not ${id}: clients look up the cost of an answer by this id. Let a proxy or CDN in front pass on response headers`,
  );
  return `${usage.output_tokens} tokens in ${Math.round(performance.now() - begunAtMs)} ms${reported === undefined ? '' : `, ${reported} RUB`}`;
}

/**
 * Returns a request for which even a fast model should take longer than `TOO_SHORT_MS` from its first to its last
 * event.
 */
const longQuestion = (model: string) =>
  question(model, {
    stream: true,
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Count from one to thirty, in words.' }],
  });
/** A response with a shorter time from the first to the last event counts as not streamed. */
const TOO_SHORT_MS = 10;

async function streamsFrom(target: Target, base: string, model: string): Promise<string> {
  let seen = await readStream(target, base, model);
  // The machine that runs the check may have read the stream late, so that all events seem to arrive at once. With a
  // proxy that buffers, the second attempt is too short as well.
  if (seen.wholeMs - seen.firstMs < TOO_SHORT_MS) seen = await readStream(target, base, model);
  const [first, whole] = [Math.round(seen.firstMs), Math.round(seen.wholeMs)];
  demand(
    seen.wholeMs - seen.firstMs >= TOO_SHORT_MS,
    `all ${seen.events} events arrived at once, after ${whole} ms: a proxy or CDN in front buffers the stream. Switch off its buffering; on AWS, check that the integration of POST /messages streams (STREAM)`,
  );
  return `first byte after ${first} ms, complete after ${whole} ms`;
}

async function readStream(target: Target, base: string, model: string) {
  const begunAtMs = performance.now();
  const response = await call(target, `${base}/messages`, { body: longQuestion(model) });
  await expectStatus(response, 200);
  demand(
    response.headers.get('content-type')?.startsWith('text/event-stream') === true,
    'the response is not an event stream',
  );
  let firstMs: number | undefined;
  let wholeMs = 0;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    wholeMs = performance.now() - begunAtMs;
    firstMs ??= wholeMs;
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  const events = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name).filter((name) => name !== 'ping');
  demand(events[0] === 'message_start', `the stream begins with ${events[0] ?? 'nothing'} instead of message_start`);
  demand(
    events.at(-1) === 'message_stop',
    `the stream ends with ${events.at(-1) ?? 'nothing'} instead of message_stop`,
  );
  return { events: events.length, firstMs: firstMs!, wholeMs };
}

const streams = (target: Target, { model }: Findings) => streamsFrom(target, target.url, model!);

async function streamsAtItsUrl(target: Target, { model }: Findings): Promise<string> {
  if (target.streamingUrl === undefined) throw new SkippedError('no --streaming-url was given');
  try {
    return await streamsFrom(target, target.streamingUrl, model!);
  } catch (error) {
    if (!(error instanceof FailedError)) throw error;
    throw new FailedError(
      `${error.message}. Is ${target.streamingUrl} the output StreamingUrl of this deployment, as its last deployment printed it?`,
    );
  }
}

interface GenerationBody {
  data: { total_cost: number | string };
}

async function settles(target: Target, { generationId, reportedCost }: Findings): Promise<string> {
  const { settledWithinMs } = target;
  if (generationId === undefined) throw new SkippedError('no answer to settle');
  const begunAtMs = performance.now();
  for (;;) {
    const response = await call(target, `/generation?id=${generationId}`);
    if (response.status === 200) {
      const text = await response.text();
      const { data } = JSON.parse(text) as GenerationBody;
      const cost = /"total_cost":\s*([0-9.eE-]+)/.exec(text)?.[1] ?? String(data.total_cost);
      demand(
        reportedCost === undefined || Number(reportedCost) === Number(cost),
        `the answer reported ${reportedCost} RUB, but ${cost} RUB was charged`,
      );
      return `${cost} RUB, final after ${Math.round(performance.now() - begunAtMs)} ms`;
    }
    await expectStatus(response, 404);
    demand(
      performance.now() - begunAtMs < settledWithinMs,
      `not settled within ${settledWithinMs / 1000} s: GET /generation still returns 404, and nothing is charged until then. Check the log, the queue and the dead letters of finalize-cost`,
    );
    await sleep(500);
  }
}

async function acceptsItsKey(target: Target, findings: Findings): Promise<string> {
  const response = await call(target, '/key');
  if (response.status === 401 || response.status === 403) {
    findings.isKeyRefused = true;
    throw new FailedError(
      `the key is refused: ${response.status} ${(await response.text()).slice(0, 300)}. Check that it is complete, enabled, and of this deployment (npm run admin -- keys list), and that a proxy or CDN in front passes on the authorization header`,
    );
  }
  const { data } = await expectJson<{ data: { label: string; usage: number } }>(response);
  return `${data.label}, ${data.usage} RUB spent`;
}

async function separatesKeys(target: Target): Promise<string> {
  const { status } = await call(target, '/keys');
  if (status === 404) throw new SkippedError('no management at this address');
  demand(status === 401 || status === 403, `an inference key was allowed to list keys: status ${status}`);
  return `${status} for an inference key at a management route`;
}

async function manages(target: Target): Promise<string> {
  const { managementKey: key } = target;
  if (key === undefined) throw new SkippedError('no --management-key was given');
  for (const path of ['/credits', '/keys', '/workspaces', '/activity', '/generations']) {
    await expectJson(await call(target, path, { key }));
  }
  return 'credits, keys, workspaces, activity, generations';
}

async function saysItsPages(target: Target): Promise<string> {
  const origin = target.origin ?? 'https://smoke.example.org';
  const asking = { origin, 'access-control-request-method': 'GET' };
  const promised = await allowedOrigin(call(target, '/models', { key: null, method: 'OPTIONS', headers: asking }));
  const allowed = await allowedOrigin(call(target, '/models', { key: null, headers: { origin } }));
  demand(
    promised === allowed,
    `the preflight response allows ${allowanceOf(promised)}, but the response itself allows ${allowanceOf(allowed)}, so browsers block it for ${origin}. Let a proxy or CDN in front pass on access-control-allow-origin`,
  );
  demand(
    target.origin === undefined || allowed === '*' || allowed === origin,
    `pages of ${origin} may not call the gateway: add the origin to gateway:corsOrigins, and deploy`,
  );
  return allowanceOf(allowed);
}

async function allowedOrigin(answer: Promise<Response>): Promise<string | null> {
  const response = await answer;
  await response.arrayBuffer();
  return response.headers.get('access-control-allow-origin');
}

function allowanceOf(allowed: string | null): string {
  return allowed === null ? 'no page of another origin' : `pages of ${allowed === '*' ? 'any origin' : allowed}`;
}

/** Later checks use findings of earlier checks. */
export const smokeChecks: readonly SmokeCheck[] = [
  { name: 'accepts the key', run: acceptsItsKey },
  { name: 'lists models', run: listsModels },
  { name: 'compresses lists', run: compresses },
  { name: 'refuses unknown keys', run: refusesStrangers },
  { name: 'separates keys', needs: 'key', run: separatesKeys },
  { name: 'names invalid fields', needs: 'model', run: namesFields },
  { name: 'answers 404 for unknown routes', needs: 'key', run: refusesUnknownRoutes },
  { name: 'counts tokens', needs: 'model', run: counts },
  { name: 'answers', needs: 'model', run: answers },
  { name: 'streams', needs: 'model', run: streams },
  { name: 'streams at its own URL', needs: 'model', run: streamsAtItsUrl },
  { name: 'settles', needs: 'model', run: settles },
  { name: 'can be managed', run: manages },
  { name: 'allows the configured origins', run: saysItsPages },
];
