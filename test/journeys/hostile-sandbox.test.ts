import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import type { Listening } from '../support/listen.ts';
import { entriesIn } from '../support/long-runs.ts';
import { replyOf, type Reply } from '../support/messages-client.ts';
import {
  PRICES,
  SOUND_PRICES,
  sandboxModels,
  sandboxWireNames,
  type SandboxWireName,
} from '../support/sandbox-wires.ts';
import { summarize } from '../support/sse.ts';
import { frames, startUpstream } from '../support/upstream.ts';
import { complaintsAbout } from '../providers/well-formed.ts';

/** Provider that answers without faults. The sandbox answers with the faults of a hostile provider, over every wire. */
let sound: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  sound = await startUpstream((response) => {
    response.end(frames.start + frames.blockStart + frames.text('Sound.') + frames.end(2));
  });
  const { models, providers } = sandboxModels(sound.url);
  catalog = catalogDirectory(models, providers);
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  await sound.stop();
  catalog.remove();
});

interface Answer {
  text: string;
  thinking: string;
  calls: { name: unknown; input: unknown }[];
}

const TEXT =
  'Hello from the sandbox! Привет! You said: “Hello”. No provider was called for this answer, and it still has a price.';
const spoken: Answer = { text: TEXT, thinking: '', calls: [] };
const thought: Answer = { ...spoken, thinking: 'The sandbox pretends to think about this for a moment.' };
const calling: Answer = {
  text: 'Let me look that up. ',
  thinking: '',
  calls: [
    { name: 'get_weather', input: { city: 'Москва', country: 'Москва' } },
    { name: 'get_time', input: { city: 'Санкт-Петербург', country: 'Санкт-Петербург' } },
  ],
};
const callingForNothing: Answer = { ...calling, calls: calling.calls.map(({ name }) => ({ name, input: {} })) };
const lackingAWord: Answer = { ...spoken, text: TEXT.replace('You ', '') };

const properties = { city: { type: 'string' }, country: { type: 'string' } };
const tools = calling.calls.map(({ name }) => ({ name, input_schema: { type: 'object', properties } }));

const wordsIn = (text: string) => text.match(/\S+\s*/gu)?.length ?? 0;
const jsonOf = ({ input }: Answer['calls'][number]) => JSON.stringify(input);

/** Counts tokens as the sandbox does. */
const tokensOf = ({ text, thinking, calls }: Answer) =>
  wordsIn(text) + wordsIn(thinking) + calls.reduce((sum, call) => sum + Math.ceil(jsonOf(call).length / 8), 0);

/** If the provider reports no usage, the gateway counts four bytes as a token. */
const maxTokensOf = (answer: Answer) => Math.ceil(Buffer.byteLength(JSON.stringify(answer)) / 4);

interface Asked {
  model: string;
  directives: string;
  stream: boolean;
  honest: Answer;
}

/** Sends a request, and describes its response and its charge in words. */
async function outcomeOf({ model, directives, stream, honest }: Asked): Promise<string> {
  const body = {
    model,
    max_tokens: 1_000,
    stream,
    messages: [said('Hello', `delay=2 ${directives}`)],
    ...(honest === calling ? { tools } : {}),
  };
  const response = await post(gateway, '/messages', body);
  const reply = await replyOf(response);
  const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
  const complaints = complaintsAbout(reply.events);
  if (complaints.length > 0) return complaints.join('; ');
  return `${gotIn(reply, honest)}, ${chargedFor(generation, body, honest)}`;
}

function gotIn(reply: Reply, honest: Answer): string {
  const { status, headers, error, message, stopReason } = reply;
  const wait = headers.get('retry-after');
  if (status !== 200) return wait === null ? `${status}` : `${status} for ${wait} s`;
  const answer = answerIn(reply);
  const isBegun = answer.text !== '' || answer.thinking !== '';
  if (error || message?.['metadata']) {
    return isBegun && honest.text.startsWith(answer.text) ? 'a beginning and an error' : 'an error';
  }
  const got = JSON.stringify(answer);
  if (stopReason !== (honest === calling ? 'tool_use' : 'end_turn')) return `the end ${String(stopReason)}`;
  if (got === JSON.stringify(honest)) return 'whole';
  if (got === JSON.stringify(callingForNothing)) return 'calls without arguments';
  if (answer.calls.some(({ input }) => typeof input === 'string')) return 'a call that is not JSON';
  return got === JSON.stringify(lackingAWord) ? 'all but a word' : got;
}

function answerIn({ message, events }: Reply): Answer {
  if (!message) {
    const { text, thinking, tools: calls } = summarize(events);
    return { text, thinking, calls };
  }
  const content = message['content'] as { type: string; [field: string]: unknown }[];
  const of = (type: string) => content.filter((block) => block.type === type);
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thinking: of('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    calls: of('tool_use').map(({ name, input }) => ({ name, input })),
  };
}

/** Describes a charge. The text contains the amount if the cost is not the price of the honest tokens. */
function chargedFor(generation: Record<string, unknown>, body: { messages: { content: string }[] }, honest: Answer) {
  const { total_cost: cost, estimated } = generation;
  const prompt = generation['tokens_prompt'] as number;
  const completion = generation['tokens_completion'] as number;
  if (cost === 0) return 'free';
  const price = prompt * Number(PRICES.prompt) + completion * Number(PRICES.completion);
  const isPriced = Math.abs((cost as number) - price) < 1e-9;
  const isPromptTold = prompt === Math.ceil(body.messages[0]!.content.length / 4);
  if (isPriced && isPromptTold && completion === tokensOf(honest) && estimated === false) return 'as reported';
  if (isPriced && isPromptTold && completion === 1 && estimated === false) return 'as reported in its first event';
  const isBounded = completion > 0 && completion <= maxTokensOf(honest) && prompt <= JSON.stringify(body).length / 4;
  if (isPriced && isBounded && estimated === true) return 'as counted';
  return `${String(cost)} for ${prompt} and ${completion} tokens`;
}

const onAll = (outcome: string): Record<SandboxWireName, string> => ({
  anthropic: outcome,
  chat: outcome,
  responses: outcome,
  gemini: outcome,
  converse: outcome,
  invoke: outcome,
});
const onMessages = (outcome: string) => ({ anthropic: outcome, invoke: outcome });

const WHOLE = 'whole, as reported';
const COUNTED = 'whole, as counted';
const BROKEN = 'a beginning and an error, as counted';
/** Returns the outcome of a broken answer. Only the Messages API reports prompt tokens before the end of an answer. */
const brokenWhole = (wire: string) => (wire in onMessages('') ? '502, as reported in its first event' : '502, free');
const IMPOSSIBLE = '400, free';
const WITHOUT_ARGUMENTS = 'calls without arguments, as reported';

interface Row {
  directives: string;
  honest: Answer;
  expected: Record<SandboxWireName, string>;
}

/**
 * Returns the row for null in place of a piece of a call's arguments, which counts as an empty text. Gemini sends each
 * call as a whole, after this position.
 */
const nullInACall = (outcome: string): Row => ({
  directives: 'tools=2 null',
  honest: calling,
  expected: { ...onAll(outcome), gemini: WHOLE },
});

const rows: Row[] = [
  { directives: '', honest: spoken, expected: onAll(WHOLE) },
  { directives: 'tools=2', honest: calling, expected: onAll(WHOLE) },
  {
    directives: 'tools=2 same-index',
    honest: calling,
    expected: { ...onAll(WHOLE), gemini: IMPOSSIBLE },
  },
  { directives: 'tools=2 interleave', honest: calling, expected: onAll(WHOLE) },
  { directives: 'think interleave', honest: thought, expected: onAll(WHOLE) },
  { directives: 'usage=none', honest: spoken, expected: onAll(COUNTED) },
  {
    directives: 'usage=late',
    honest: spoken,
    // Chat completions end with [DONE]. The gateway does not wait for usage after it, so it counts tokens itself.
    expected: { ...onAll(WHOLE), chat: COUNTED, responses: IMPOSSIBLE, converse: IMPOSSIBLE },
  },
  { directives: 'usage=twice', honest: spoken, expected: onAll(WHOLE) },
  {
    directives: 'tools=2 arguments=empty',
    honest: calling,
    expected: { ...onAll(WITHOUT_ARGUMENTS), gemini: BROKEN },
  },
  {
    directives: 'tools=2 arguments=null',
    honest: calling,
    expected: onAll(WITHOUT_ARGUMENTS),
  },
  {
    directives: 'tools=2 arguments=none',
    honest: calling,
    expected: { ...onAll(WITHOUT_ARGUMENTS), ...onMessages(BROKEN) },
  },
  {
    directives: 'null',
    honest: spoken,
    expected: onAll('all but a word, as reported'),
  },
  { directives: 'number', honest: spoken, expected: onAll(BROKEN) },
  { directives: 'tools=2 number', honest: calling, expected: { ...onAll(BROKEN), gemini: WHOLE } },
  { directives: 'cut', honest: spoken, expected: onAll(WHOLE) },
  { directives: 'tools=2 cut', honest: calling, expected: onAll(WHOLE) },
  { directives: 'garbage', honest: spoken, expected: onAll(BROKEN) },
  { directives: 'reset', honest: spoken, expected: onAll(BROKEN) },
  { directives: 'reset=0', honest: spoken, expected: onAll('502, free') },
  { directives: 'error=429', honest: spoken, expected: onAll('429, free') },
  { directives: 'error=429 retry-after=7', honest: spoken, expected: onAll('429 for 7 s, free') },
  { directives: 'error=529', honest: spoken, expected: onAll('529 for 1 s, free') },
  { directives: 'error=503', honest: spoken, expected: onAll('529 for 1 s, free') },
  { directives: 'error=529 retry-after=7', honest: spoken, expected: onAll('529 for 7 s, free') },
];

// Streaming clients check arguments themselves, so a stream contains unreadable arguments unchanged.
const streamed = [...rows, nullInACall('a call that is not JSON, as reported')];

/** Directives that are tested only with streaming. Without it, the results differ, or the test would add nothing. */
const onlyStreamed = new Set([
  'error=429',
  'error=529',
  'error=503',
  'error=529 retry-after=7',
  'tools=2 cut',
  'think interleave',
]);
function unstreamedRow(row: Row): Row {
  const expected = Object.entries(row.expected).map(([wire, outcome]) => [
    wire,
    outcome === BROKEN ? brokenWhole(wire) : outcome,
  ]);
  return { ...row, expected: Object.fromEntries(expected) as Row['expected'] };
}

const unstreamed: Row[] = [
  ...[...rows, nullInACall('a beginning and an error, as reported')]
    .filter(({ directives }) => !onlyStreamed.has(directives))
    .map(unstreamedRow),
  {
    directives: 'tools=2 interleave same-index',
    honest: calling,
    // Both calls have the same index and their pieces alternate. Only in the Responses API do pieces have ids.
    expected: {
      ...onAll('a beginning and an error, as reported'),
      ...onMessages('502, as reported in its first event'),
      responses: WHOLE,
      gemini: IMPOSSIBLE,
    },
  },
  { directives: 'garbage=0', honest: spoken, expected: onAll('502, free') },
  { directives: 'number=0', honest: spoken, expected: onAll('502, free') },
];

async function outcomesOf({ directives, honest }: Omit<Row, 'expected'>, stream: boolean, models = 'test') {
  const outcomes = sandboxWireNames.map(
    async (wire) => [wire, await outcomeOf({ model: `${models}/${wire}`, directives, stream, honest })] as const,
  );
  return Object.fromEntries(await Promise.all(outcomes));
}

describe.concurrent('a hostile sandbox provider', () => {
  it.each(entriesIn(streamed, { ofWhichAlways: Math.floor(streamed.length / 2) }))(
    'is handled in a stream: $directives',
    async (row) => {
      expect(await outcomesOf(row, true)).toEqual(row.expected);
    },
  );

  it.each(entriesIn(unstreamed, { ofWhichAlways: Math.floor(unstreamed.length / 2) }))(
    'is handled in an answer that is not streamed: $directives',
    async (row) => {
      expect(await outcomesOf(row, false)).toEqual(row.expected);
    },
  );
});

describe.concurrent('a provider that fails before its answer begins', () => {
  it.each([true, false])('is abandoned if it hangs, and free of charge (streamed: %s)', async (stream) => {
    const outcomes = await outcomesOf({ directives: 'hang', honest: spoken }, stream, 'impatient');

    expect(outcomes).toEqual(onAll('504, free'));
  });

  it.each(['error=429 retry-after=7', 'error=529', 'reset=0', 'hang'])(
    'is free of charge, and followed by the next one: %s',
    async (directives) => {
      const answers = await Promise.all(
        sandboxWireNames.map(async (wire) => {
          const response = await post(gateway, '/messages', {
            model: `impatient/${wire}-or-sound`,
            max_tokens: 100,
            stream: true,
            messages: [said('Hello', directives)],
          });
          const { status, text } = await replyOf(response);
          const { total_cost: cost } = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
          return { wire, status, text, cost };
        }),
      );

      // Ten tokens of the prompt and two of the answer.
      const cost = 10 * Number(SOUND_PRICES.prompt) + 2 * Number(SOUND_PRICES.completion);
      expect(answers).toEqual(sandboxWireNames.map((wire) => ({ wire, status: 200, text: 'Sound.', cost })));
    },
  );
});

describe('a sandbox directive without a meaning on a wire', () => {
  it.each([
    ['gemini', 'same-index', 'its parts have no index'],
    ['responses', 'usage=late', 'its last event has the usage'],
    ['converse', 'usage=late', 'its last event has the usage'],
  ])('is refused: %s, %s', async (wire, directives, why) => {
    const body = { model: `test/${wire}`, max_tokens: 100, messages: [said('Hello', directives)] };

    const { status, error } = await replyOf(await post(gateway, '/messages', body));

    expect(status).toBe(400);
    expect(error!.message).toBe(`The sandbox cannot do "${directives}" on this wire: ${why}`);
  });
});
