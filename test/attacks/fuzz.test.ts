import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reconcile } from '../../lambdas/books/reconcile.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { readAccount } from '../../lambdas/store/accounts/accounts.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import {
  chatBodies,
  drawingBodies,
  speakingBodies,
  musicBodies,
  embeddingsBodies,
  imageBodies,
  imageEditBodies,
  imageEditForms,
  rerankBodies,
  responsesBodies,
  convertedRecordingForms,
  convertedTextBodies,
  speechBodies,
  transcriptionBodies,
  transcriptionForms,
} from '../support/client-api-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { formWith, mutatedForms, type FormPart } from '../support/form-mutations.ts';
import { get, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { isLongForm, repeated } from '../support/long-runs.ts';
import { jsonBody, mutated, type SentBody } from '../support/mutations.ts';
import { memoryEnvironment, steadyBytesOf } from '../support/process-memory.ts';

/** Number of concurrent requests, and number of mutated requests per subject. */
const AT_ONCE = 16;
const REQUESTS = repeated(5_000, { ofWhichAlways: 150 });
/** Maximum time in ms until an answer. Only a request that hangs takes longer. */
const MAX_ANSWER_MS = 15_000;
/**
 * Number of rounds. In the first round, code is compiled, and pools and caches fill. After that, retained memory may
 * grow once, but not in each round. The short form has too few requests to show growth.
 */
const ROUNDS = repeated(3, { ofWhichAlways: 1 });
/** Maximum growth of retained memory per round: cache entries of each request, and compiled code. */
const MAX_KEPT_BYTES = 512 * 1024 + 128 * (REQUESTS / ROUNDS);

let gateway: RunningGateway;
const startedAtMs = Date.now();
/** Answers with status 200 to requests that cost money. */
const answered = new Set<string>();
beforeAll(async () => {
  gateway = await startGateway({ env: memoryEnvironment });
});
afterAll(() => gateway.stop());

const quick = 'delay=0 tokens=2';
const hello = said('Hi', quick);
const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const cached = { type: 'ephemeral', ttl: '1h' };
const look = {
  name: 'look',
  description: 'Looks.',
  input_schema: { type: 'object', properties: { at: { type: 'string' }, how: { enum: ['far', 'near'] } } },
};
const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'x', n: 1.5 } };
const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content, is_error: false });
const directed = { type: 'text', text: `Hi\n@sandbox ${quick}` };

/** Both the Anthropic wire and the chat wire accept these bodies. */
const bases = [
  { messages: [hello] },
  { messages: [hello], stream: true, max_tokens: 3, temperature: 0.5, top_p: 0.9, top_k: 4, stop_sequences: ['END'] },
  {
    system: [{ type: 'text', text: 'Be short.', cache_control: cached }],
    messages: [hello, { role: 'assistant', content: 'Yes?' }, { role: 'system', content: 'Now.' }, hello],
    metadata: { user_id: 'u' },
    max_tokens: 2,
  },
  {
    messages: [
      hello,
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'gw1.x' }, call] },
      {
        role: 'user',
        content: [
          result([
            { type: 'text', text: 'ok' },
            { type: 'image', source: png },
          ]),
          directed,
        ],
      },
    ],
    tools: [look],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    max_tokens: 2,
  },
  {
    messages: [{ role: 'user', content: `Hi\n@sandbox tool delay=0` }],
    tools: [{ ...look, cache_control: cached }],
    tool_choice: { type: 'tool', name: 'look' },
    stream: true,
    max_tokens: 4,
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Text.' }, title: 'T' },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Text.' }] } },
          directed,
        ],
      },
    ],
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    output_config: { effort: 'low' },
    max_tokens: 2_000,
  },
  {
    messages: [hello],
    max_tokens: 2,
    speed: 'standard',
    service_tier: 'auto',
    inference_geo: 'global',
    context_management: { edits: [{ type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 5 } }] },
    betas: ['claude-code-20250219'],
    mcp_servers: [],
    plugins: null,
    system: null,
  },
];

/** Only the Anthropic wire can express these bodies. */
const anthropicBases = [
  {
    messages: [
      hello,
      {
        role: 'assistant',
        content: [{ type: 'redacted_thinking', data: 'x' }, { type: 'new_block', more: [1] }, call],
      },
      { role: 'user', content: [result([{ type: 'tool_reference', tool_name: 'look' }]), directed] },
    ],
    tools: [
      { ...look, defer_loading: true, strict: true },
      { type: 'bash_20250124', name: 'bash' },
    ],
    some_field_of_tomorrow: { a: [1, 2] },
    max_tokens: 2,
  },
];

const routes = ['/messages', '/messages', '/messages', '/messages/count_tokens'];

/** Returns the name of the model's field, which is different in ElevenLabs' API. */
function modelFieldAt(path: string): 'model' | 'model_id' {
  return /^\/(?:text-to-speech|speech-to-text)/.test(path) ? 'model_id' : 'model';
}

const jsonSubjects = [
  { model: 'sandbox/claude', routes, bodies: [...bases, ...anthropicBases] },
  { model: 'sandbox/gpt', routes, bodies: bases },
  { model: 'sandbox/claude', routes: ['/chat/completions'], bodies: chatBodies },
  { model: 'sandbox/illustrator', routes: ['/chat/completions'], bodies: drawingBodies },
  { model: 'sandbox/narrator', routes: ['/chat/completions'], bodies: speakingBodies },
  { model: 'sandbox/composer', routes: ['/chat/completions'], bodies: musicBodies },
  { model: 'sandbox/gpt', routes: ['/responses'], bodies: responsesBodies },
  { model: 'sandbox/embedder', routes: ['/embeddings'], bodies: embeddingsBodies },
  { model: 'sandbox/ranker', routes: ['/rerank'], bodies: rerankBodies },
  { model: 'sandbox/unit-ranker', routes: ['/rerank'], bodies: rerankBodies },
  { model: 'sandbox/painter', routes: ['/images', '/images/generations'], bodies: imageBodies },
  { model: 'sandbox/token-painter', routes: ['/images/edits'], bodies: imageEditBodies },
  { model: 'sandbox/speaker', routes: ['/audio/speech'], bodies: speechBodies },
  { model: 'sandbox/storyteller', routes: ['/audio/speech'], bodies: speechBodies },
  { model: 'sandbox/speaker', routes: ['/text-to-speech/alto'], bodies: convertedTextBodies },
  { model: 'sandbox/scribe', routes: ['/audio/transcriptions', '/audio/translations'], bodies: transcriptionBodies },
].map(({ model, routes: paths, bodies }) => {
  const withModel = bodies.map((body) => ({ [modelFieldAt(paths[0]!)]: model, ...body }));
  const starts = withModel.map((body) => jsonBody(JSON.stringify(body)));
  return { model, form: 'JSON', at: paths.join(', '), paths, starts, sent: mutated(withModel).map(jsonBody) };
});

const formSubjects = [
  { model: 'sandbox/token-painter', paths: ['/images/edits'], forms: imageEditForms },
  { model: 'sandbox/scribe', paths: ['/audio/transcriptions', '/audio/translations'], forms: transcriptionForms },
  { model: 'sandbox/scribe', paths: ['/speech-to-text'], forms: convertedRecordingForms },
].map(({ model, paths, forms }) => {
  const name = modelFieldAt(paths[0]!);
  const withModel = forms.map((parts): FormPart[] => [{ name, value: model }, ...parts]);
  return {
    model,
    form: 'forms',
    at: paths.join(', '),
    paths,
    starts: withModel.map(formWith),
    sent: mutatedForms(withModel),
  };
});

interface MutatedRequest extends SentBody {
  path: string;
}

/** Returns the status of the answer, and the answer as `fault` if it breaks a rule. */
async function ask({ path, body, contentType }: MutatedRequest): Promise<{ status: number; fault?: string }> {
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': contentType },
    body: body as Buffer<ArrayBuffer>,
    signal: AbortSignal.timeout(MAX_ANSWER_MS),
  });
  const { status } = response;
  const answer = await response.text();
  const id = response.headers.get('x-generation-id');
  if (status === 200 && id !== null) answered.add(id);
  if (status === 200) return isBroken(answer) ? { status, fault: answer } : { status };
  if (status === 400 && fieldOf(answer)) return { status };
  return status === 404 ? { status } : { status, fault: answer };
}

/** Whether a stream of any API ended with an error. */
function isBroken(answer: string): boolean {
  return answer.includes('event: error') || answer.includes('"finish_reason":"error"');
}

function fieldOf(answer: string): unknown {
  return (JSON.parse(answer) as { error: { metadata: { field?: string } } }).error.metadata.field;
}

describe.each([...jsonSubjects, ...formSubjects])('mutated $form for $model at $at', ({ paths, starts, sent }) => {
  it('start from accepted requests', async () => {
    for (const path of new Set(paths)) {
      for (const start of starts) {
        expect(await ask({ path, ...start }), start.body.toString()).toEqual({ status: 200 });
      }
    }
  });

  it(
    'are answered, or refused with 404 or the name of a field',
    { timeout: repeated(900_000, { ofWhichAlways: 300_000 }) },
    async () => {
      const statuses = new Map<number, number>();
      const asked = fc
        .record({ path: fc.constantFrom(...paths), body: sent })
        .map(({ path, body }) => ({ path, ...body }));
      const several = fc.array(asked, { minLength: AT_ONCE, maxLength: AT_ONCE });
      const neverBroken = fc.asyncProperty(several, async (requests) => {
        const answers = await Promise.all(requests.map(ask));
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(answers.flatMap(({ status, fault }) => (fault === undefined ? [] : [{ status, fault }]))).toEqual([]);
      });
      const kept: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await fc.assert(neverBroken, { numRuns: Math.ceil(REQUESTS / AT_ONCE / ROUNDS), endOnFailure: true });
        if (isLongForm) kept.push(await steadyBytesOf(gateway));
      }

      // If the mutations were too weak or too strong, the test would find nothing.
      expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 25);
      expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 25);
      expect(gateway.process.exitCode).toBeNull();
      expect((await get(gateway, '/health')).status).toBe(200);
      const growths = kept.slice(1).map((bytes, round) => bytes - kept[round]!);
      if (isLongForm)
        expect(Math.min(...growths), `bytes kept after each round: ${kept.join(', ')}`).toBeLessThan(MAX_KEPT_BYTES);
    },
  );
});

it('mutated requests leave a record of each answer, and books without differences', { timeout: 300_000 }, async () => {
  const table = gateway.table();
  const account = (await readAccount(table, gateway.accountId))!;
  const dates = [...new Set([utcDate(startedAtMs), utcDate(Date.now())])];
  const records = await eventually(async () => {
    const days = dates.map((date) => Array.fromAsync(generationsOfDay(table, account.id, date)));
    const all = (await Promise.all(days)).flat();
    expect(all.filter(({ state }) => state === 'pending')).toEqual([]);
    return all;
  }, 500);

  const recorded = new Set(records.map(({ id }) => id));
  expect([...answered].filter((id) => !recorded.has(id))).toEqual([]);
  const charged = records.filter(({ outcome }) => !outcome!.cost.isZero);
  expect(charged.filter(({ id }) => !answered.has(id))).toEqual([]);
  expect(charged.length).toBeGreaterThanOrEqual(answered.size / 2);
  expect((await reconcile(table, { account, dates, isDeep: true, isWhole: true })).findings).toEqual([]);
});
