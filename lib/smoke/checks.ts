/** The checks of what a deployment must do for its clients, each seen from outside. Those that spend anything spend on some dozen tokens of one model. */

import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_COMPRESSED_CHARACTERS } from '../../lambdas/http/compressed.ts';
import { call, demand, expectJson, expectStatus, FailedError, SkippedError, type Target } from './target.ts';

/** The findings of the checks before. */
export interface Findings {
  /** What asks with it would fail for this reason alone. */
  isKeyRefused?: boolean;
  model?: string;
  generationId?: string;
  /** The cost that the answer has told. */
  toldCost?: string | undefined;
}

export interface SmokeCheck {
  name: string;
  /** It is skipped where the key is refused, and for a model also where none was found: the check before has failed for that. */
  needs?: 'key' | 'model';
  /** @returns what people may like to know @throws {FailedError} @throws {SkippedError} */
  run: (target: Target, findings: Findings) => Promise<string>;
}

interface SmokeModel {
  id: string;
  /** Whether a provider of it can be asked. */
  available?: boolean;
  pricing?: { prompt?: string; completion?: string };
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

/** An error in the form that clients read. */
async function errorOf(response: Response, status: number): Promise<NonNullable<ErrorBody['error']>> {
  const { type, error } = await expectJson<ErrorBody>(response, status);
  demand(
    type === 'error' && typeof error?.message === 'string',
    `a ${status} that has not the form of the gateway's errors: something in front answers in its place`,
  );
  return error!;
}

async function listsModels(target: Target, findings: Findings): Promise<string> {
  const { data } = await expectJson<{ data: SmokeModel[] }>(await call(target, '/models', { key: null }));
  demand(data.length > 0, 'lists no model: look at the catalog that is in force (npm run admin -- catalog show)');
  if (findings.isKeyRefused) return `${data.length} models`;
  findings.model = target.model ?? (await cheapestUsable(target)).id;
  return `${data.length} models; asking ${findings.model}`;
}

/** The cheapest by its tokens among the models that this key may use. */
async function cheapestUsable(target: Target): Promise<SmokeModel> {
  const { data } = await expectJson<{ data: SmokeModel[] }>(await call(target, '/models/user'));
  const texts = data.filter(({ id, available, architecture }) => {
    return available === true && !id.endsWith(':free') && architecture?.output_modalities?.includes('text') === true;
  });
  const cost = ({ pricing }: SmokeModel) => Number(pricing?.prompt ?? 0) + Number(pricing?.completion ?? 0);
  const [cheapest] = texts.filter((model) => cost(model) > 0).toSorted((a, b) => cost(a) - cost(b));
  if (!cheapest) {
    throw new FailedError(
      'no model with a price can be used with this key: are keys of providers set? If they were set in the last minutes, wait: functions notice within five minutes of it',
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
    `content-encoding is ${encoding ?? 'absent'}, not gzip, for ${length} characters: a proxy or CDN in front takes away accept-encoding, or unpacks answers. Let it pass on both as they are`,
  );
  return 'gzip';
}

async function refusesStrangers(target: Target): Promise<string> {
  await refusesKey(target, 'without a key', null);
  await refusesKey(target, 'with a key that nobody has', `sk-mg-v1-${'0'.repeat(64)}`);
  return 'without a key, and with one that is not known';
}

async function refusesKey(target: Target, how: string, key: string | null): Promise<void> {
  const response = await call(target, '/messages', { key, body: question('any') });
  const isLetIn = response.status < 500 && response.status !== 401 && response.status !== 403;
  demand(
    !isLetIn,
    `a request ${how} was let in, and answered ${response.status} instead of 401: anybody may spend. Look for what adds a key in front of the gateway, and close the address until then`,
  );
  await errorOf(response, 401);
}

async function namesFields(target: Target, { model }: Findings): Promise<string> {
  const wrong = question(model!, { max_tokens: 'many' });
  const { metadata, message } = await errorOf(await call(target, '/messages', { body: wrong }), 400);
  demand(`${metadata?.field} ${message}`.includes('max_tokens'), `a 400 that does not name max_tokens: ${message}`);
  return `400 for max_tokens`;
}

async function knowsNoOtherRoute(target: Target): Promise<string> {
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
  const told = /"cost":\s*([0-9.eE-]+)/.exec(await text.text())?.[1];
  findings.generationId = id;
  findings.toldCost = told;
  demand(content.length > 0 || usage.output_tokens > 0, 'an answer without content');
  const header = response.headers.get('x-generation-id');
  demand(
    header === id,
    `x-generation-id is ${header ?? 'absent'}, not ${id}: clients find the cost of an answer by it. Let a proxy or CDN in front pass on the headers of answers`,
  );
  return `${usage.output_tokens} tokens in ${Math.round(performance.now() - begunAtMs)} ms${told === undefined ? '' : `, ${told} RUB`}`;
}

/** It takes any model longer than `TOO_SHORT_MS` to answer this. */
const longQuestion = (model: string) =>
  question(model, {
    stream: true,
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Count from one to thirty, in words.' }],
  });
/** Events that are no further apart came in one piece. */
const TOO_SHORT_MS = 10;

async function streamsFrom(target: Target, base: string, model: string): Promise<string> {
  let seen = await readStream(target, base, model);
  // It may have been this machine that read late: what keeps streams does so each time.
  if (seen.wholeMs - seen.firstMs < TOO_SHORT_MS) seen = await readStream(target, base, model);
  const [first, whole] = [Math.round(seen.firstMs), Math.round(seen.wholeMs)];
  demand(
    seen.wholeMs - seen.firstMs >= TOO_SHORT_MS,
    `all ${seen.events} events came at once, after ${whole} ms: something in front keeps a stream until it ends. Switch off the buffering of a proxy or CDN; on AWS, the integration of POST /messages must stream (STREAM)`,
  );
  return `first byte after ${first} ms, whole after ${whole} ms`;
}

async function readStream(target: Target, base: string, model: string) {
  const begunAtMs = performance.now();
  const response = await call(target, `${base}/messages`, { body: longQuestion(model) });
  await expectStatus(response, 200);
  demand(response.headers.get('content-type')?.startsWith('text/event-stream') === true, 'is no event stream');
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
  demand(events[0] === 'message_start', `begins with ${events[0] ?? 'nothing'}`);
  demand(events.at(-1) === 'message_stop', `ends with ${events.at(-1) ?? 'nothing'}`);
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

async function settles(target: Target, { generationId, toldCost }: Findings): Promise<string> {
  const { settledWithinMs } = target;
  if (generationId === undefined) throw new SkippedError('there was no answer');
  const begunAtMs = performance.now();
  for (;;) {
    const response = await call(target, `/generation?id=${generationId}`);
    if (response.status === 200) {
      const text = await response.text();
      const { data } = JSON.parse(text) as GenerationBody;
      const cost = /"total_cost":\s*([0-9.eE-]+)/.exec(text)?.[1] ?? String(data.total_cost);
      demand(toldCost === undefined || Number(toldCost) === Number(cost), `told ${toldCost} RUB, and charged ${cost}`);
      return `${cost} RUB, final after ${Math.round(performance.now() - begunAtMs)} ms`;
    }
    await expectStatus(response, 404);
    demand(
      performance.now() - begunAtMs < settledWithinMs,
      `not settled within ${settledWithinMs / 1000} s, GET /generation still answers 404: nothing is charged meanwhile. Look at finalize-cost: at its log, its queue, and its dead letters`,
    );
    await sleep(500);
  }
}

async function knowsItsKey(target: Target, findings: Findings): Promise<string> {
  const response = await call(target, '/key');
  if (response.status === 401 || response.status === 403) {
    findings.isKeyRefused = true;
    throw new FailedError(
      `the key is refused: ${response.status} ${(await response.text()).slice(0, 300)}. Is it whole, in use, and of this deployment (npm run admin -- keys list)? A proxy or CDN in front must pass on the header authorization`,
    );
  }
  const { data } = await expectJson<{ data: { label: string; usage: number } }>(response);
  return `${data.label}, ${data.usage} RUB spent`;
}

async function separatesKeys(target: Target): Promise<string> {
  const { status } = await call(target, '/keys');
  if (status === 404) throw new SkippedError('no management at this address');
  demand(status === 401 || status === 403, `an inference key may list keys: ${status}`);
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
    `pages of ${origin} are told beforehand that ${allowanceOf(promised)} may call, and by the answer itself that ${allowanceOf(allowed)} may: browsers keep the answer from them. Let a proxy or CDN in front pass on access-control-allow-origin`,
  );
  demand(
    target.origin === undefined || allowed === '*' || allowed === origin,
    `pages of ${origin} may not call it: name the origin in gateway:corsOrigins, and deploy`,
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

/** In the order in which they run; later ones use what earlier ones have found. */
export const smokeChecks: readonly SmokeCheck[] = [
  { name: 'knows its key', run: knowsItsKey },
  { name: 'lists models', run: listsModels },
  { name: 'compresses lists', run: compresses },
  { name: 'refuses strangers', run: refusesStrangers },
  { name: 'separates keys', needs: 'key', run: separatesKeys },
  { name: 'names wrong fields', needs: 'model', run: namesFields },
  { name: 'knows no other route', needs: 'key', run: knowsNoOtherRoute },
  { name: 'counts tokens', needs: 'model', run: counts },
  { name: 'answers', needs: 'model', run: answers },
  { name: 'streams', needs: 'model', run: streams },
  { name: 'streams at its own URL', needs: 'model', run: streamsAtItsUrl },
  { name: 'settles', needs: 'model', run: settles },
  { name: 'can be managed', run: manages },
  { name: 'says which pages may call it', run: saysItsPages },
];
