/** The checks of what a deployment must do for its clients, each seen from outside. Those that spend anything spend on a few tokens of one model. */

import { setTimeout as sleep } from 'node:timers/promises';
import { MIN_COMPRESSED_CHARACTERS } from '../../lambdas/http/compressed.ts';
import { call, demand, expectStatus, FailedError, jsonOf, SkippedError, type Target } from './target.ts';

/** The findings of the checks before. */
export interface Findings {
  model?: string;
  generationId?: string;
  /** The cost that the answer has told. */
  toldCost?: string | undefined;
}

export interface SmokeCheck {
  name: string;
  /** @returns what people may like to know @throws {FailedError} @throws {SkippedError} */
  run: (target: Target, findings: Findings) => Promise<string>;
}

interface ListedModel {
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
  const { type, error } = await jsonOf<ErrorBody>(response, status);
  demand(type === 'error' && typeof error?.message === 'string', `a ${status} without a message of the usual form`);
  return error!;
}

async function listsModels(target: Target, findings: Findings): Promise<string> {
  const { data } = await jsonOf<{ data: ListedModel[] }>(await call(target, '/models', { key: null }));
  demand(data.length > 0, 'lists no model');
  findings.model = target.model ?? (await cheapestUsable(target)).id;
  return `${data.length} models; asking ${findings.model}`;
}

/** The cheapest by its tokens among the models that this key may use. */
async function cheapestUsable(target: Target): Promise<ListedModel> {
  const { data } = await jsonOf<{ data: ListedModel[] }>(await call(target, '/models/user'));
  const texts = data.filter(({ id, available, architecture }) => {
    return available === true && !id.endsWith(':free') && architecture?.output_modalities?.includes('text') === true;
  });
  const cost = ({ pricing }: ListedModel) => Number(pricing?.prompt ?? 0) + Number(pricing?.completion ?? 0);
  const [cheapest] = texts.filter((model) => cost(model) > 0).toSorted((a, b) => cost(a) - cost(b));
  if (!cheapest) throw new FailedError('no model with a price can be used with this key: are keys of providers set?');
  return cheapest;
}

async function compresses(target: Target): Promise<string> {
  const response = await call(target, '/models', { key: null, headers: { 'accept-encoding': 'gzip' } });
  await expectStatus(response, 200);
  const encoding = response.headers.get('content-encoding');
  const { length } = await response.text();
  if (encoding === null && length < MIN_COMPRESSED_CHARACTERS)
    throw new SkippedError('the list of models is too short');
  demand(encoding === 'gzip', `content-encoding is ${encoding ?? 'absent'}`);
  return 'gzip';
}

async function refusesStrangers(target: Target): Promise<string> {
  await errorOf(await call(target, '/messages', { key: null, body: question('any') }), 401);
  await errorOf(await call(target, '/messages', { key: `sk-mg-v1-${'0'.repeat(64)}`, body: question('any') }), 401);
  return 'without a key, and with one that is not known';
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
  const { input_tokens: tokens } = await jsonOf<{ input_tokens: number }>(
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
  const { id, content, usage } = await jsonOf<MessageBody>(response);
  const told = /"cost":\s*([0-9.eE-]+)/.exec(await text.text())?.[1];
  demand(content.length > 0 || usage.output_tokens > 0, 'an answer without content');
  demand(response.headers.get('x-generation-id') === id, 'x-generation-id is not the id of the answer');
  findings.generationId = id;
  findings.toldCost = told;
  return `${usage.output_tokens} tokens in ${Math.round(performance.now() - begunAtMs)} ms${told === undefined ? '' : `, ${told} RUB`}`;
}

async function streamsFrom(target: Target, base: string, model: string): Promise<string> {
  const begunAtMs = performance.now();
  const response = await call(target, `${base}/messages`, { body: question(model, { stream: true }) });
  await expectStatus(response, 200);
  demand(response.headers.get('content-type')?.startsWith('text/event-stream') === true, 'is no event stream');
  let firstMs: number | undefined;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    firstMs ??= performance.now() - begunAtMs;
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  const events = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name).filter((name) => name !== 'ping');
  demand(events[0] === 'message_start', `begins with ${events[0] ?? 'nothing'}`);
  demand(events.at(-1) === 'message_stop', `ends with ${events.at(-1) ?? 'nothing'}`);
  return `first byte after ${Math.round(firstMs!)} ms, whole after ${Math.round(performance.now() - begunAtMs)} ms`;
}

const streams = (target: Target, { model }: Findings) => streamsFrom(target, target.url, model!);

async function streamsAtItsUrl(target: Target, { model }: Findings): Promise<string> {
  if (target.streamingUrl === undefined) throw new SkippedError('no --streaming-url was given');
  return streamsFrom(target, target.streamingUrl, model!);
}

/** Longer than a settlement takes while all is well. */
const SETTLED_WITHIN_MS = 30_000;

interface GenerationBody {
  data: { total_cost: number | string };
}

async function settles(target: Target, { generationId, toldCost }: Findings): Promise<string> {
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
    demand(performance.now() - begunAtMs < SETTLED_WITHIN_MS, 'not settled within 30 s: look at finalize-cost');
    await sleep(500);
  }
}

async function knowsItsKey(target: Target): Promise<string> {
  const { data } = await jsonOf<{ data: { label: string; usage: number } }>(await call(target, '/key'));
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
    await jsonOf(await call(target, path, { key }));
  }
  return 'credits, keys, workspaces, activity, generations';
}

async function allowsNoPage(target: Target): Promise<string> {
  const origin = 'https://smoke.example.org';
  const response = await call(target, '/models', { key: null, headers: { origin } });
  await response.arrayBuffer();
  const allowed = response.headers.get('access-control-allow-origin');
  return allowed === null ? 'no page of another origin' : `pages of ${allowed === '*' ? 'any origin' : allowed}`;
}

/** In the order in which they run; later ones use what earlier ones have found. */
export const smokeChecks: readonly SmokeCheck[] = [
  { name: 'lists models', run: listsModels },
  { name: 'compresses lists', run: compresses },
  { name: 'refuses strangers', run: refusesStrangers },
  { name: 'knows its key', run: knowsItsKey },
  { name: 'separates keys', run: separatesKeys },
  { name: 'names wrong fields', run: namesFields },
  { name: 'knows no other route', run: knowsNoOtherRoute },
  { name: 'counts tokens', run: counts },
  { name: 'answers', run: answers },
  { name: 'streams', run: streams },
  { name: 'streams at its own URL', run: streamsAtItsUrl },
  { name: 'settles', run: settles },
  { name: 'can be managed', run: manages },
  { name: 'says which pages may call it', run: allowsNoPage },
];
