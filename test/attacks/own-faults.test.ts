import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { listen, type Listening } from '../support/listen.ts';
import { readEvents, summarize } from '../support/sse.ts';
import { frames } from '../support/upstream.ts';

/** Stages at which the crash injector throws, selected by the path of the provider's address. */
const paths = ['connect', 'socket', 'head', 'response', 'data'];

/** Pause between two words, so that a fault can occur during an answer. */
const WORD_EVERY_MS = 10;

let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
let limited: RunningGateway;
beforeAll(async () => {
  // The server repeats the prompt a word at a time, and replaces "%%" by "@@", so that a marker occurs only in the
  // answer.
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
      const [{ content }] = (JSON.parse(body) as { messages: [{ content: string }] }).messages;
      response.write(frames.start + frames.blockStart);
      for (const word of content.split(' ')) {
        response.write(frames.text(`${word.replace('%%', '@@')} `));
        await sleep(WORD_EVERY_MS);
      }
      response.end(frames.end(5));
    })();
  });
  upstream = await listen(server);
  const provider = (id: string, path: string) => ({
    id,
    name: id,
    wire: 'anthropic',
    base_url: `${upstream.url}${path}`,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    // After some faults, the gateway waits for the provider until these timeouts.
    timeouts: { first_byte_ms: 1_500, idle_ms: 1_500 },
  });
  const pricing = { prompt: '0.0001', completion: '0.0002' };
  const model = (name: string, providerId: string) => textModel(`test/${name}`, [{ provider: providerId, pricing }]);
  catalog = catalogDirectory(
    [model('plain', 'plain'), model('settle', 'plain'), ...paths.map((path) => model(path, path))],
    [provider('plain', ''), ...paths.map((path) => provider(path, `/${path}`))],
  );
  const crashInjector = new URL('../support/crash-injector.mjs', import.meta.url).href;
  gateway = await startGateway({
    args: ['--catalog', catalog.path],
    env: { NODE_OPTIONS: `--import=${crashInjector}` },
  });
  const created = await manage(gateway, 'POST', '/keys', { name: 'limited', limit: 1_000 });
  limited = { ...gateway, key: (created.body as { key: string }).key };
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

const ask = (model: string, words: string, stream: boolean) =>
  post(model === 'settle' ? gateway : limited, '/messages', {
    model: `test/${model}`,
    max_tokens: 1_000,
    stream,
    messages: [said(words)],
  });

async function leftAndSpent(): Promise<number> {
  const { data } = (await (await get(limited, '/key')).json()) as { data: Record<string, number> };
  return data['limit_remaining']! + data['usage']!;
}

/** Returns a status, or the way in which the client's stream ended. */
async function noticed(model: string, words: string, stream: boolean): Promise<string> {
  try {
    const response = await ask(model, words, stream);
    if (!stream || response.status !== 200) return `status ${response.status}`;
    const events = await readEvents(response);
    return `ended with ${events.at(-1)?.type}`;
  } catch {
    return 'cut off';
  }
}

const stages: [string, string, string, RegExp][] = [
  ['reading the body', 'plain', 'Hello @@sabotage-parse', /^status 4\d\d$/],
  ['measuring the prompt', 'plain', 'Hello @@sabotage-measure', /^status 500$/],
  ['writing the request', 'plain', 'Hello @@sabotage-encode', /^status 500$/],
  ['connecting', 'connect', 'Hello', /^status 50[02]$/],
  ['a socket', 'socket', 'Hello', /^status 50[02]$|^cut off$|^ended with/],
  ['the head of an answer', 'head', 'Hello', /^status 50[02]$|^cut off$/],
  // These two faults occur a moment later, when a short answer may be complete.
  ['after the head of an answer', 'response', 'Hello', /^status 50[02]$|^status 200$|^cut off$|^ended with/],
  ['between two reads', 'data', 'Hello, and some more words', /^status 50[02]$|^status 200$|^cut off$|^ended with/],
  // On a busy machine, the gateway may read the first words together with the marker. It then answers 500 without
  // output.
  ['measuring the answer', 'plain', 'One two %%sabotage-observe three', /^status 200$|^status 500$|^ended with error$/],
  ['writing the answer', 'plain', 'One two %%sabotage-write three', /^status|^cut off$|^ended with/],
  ['reporting the settlement', 'settle', 'Hello', /^status 200$|^ended with message_stop$/],
];

describe('a fault of the gateway', () => {
  it.each(stages)('in %s ends that request, and no other', async (_stage, model, words, outcome) => {
    const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const other = ask('plain', long, true).then(readEvents);

    const results = await Promise.all([noticed(model, words, true), noticed(model, words, false)]);

    for (const result of results) expect(result).toMatch(outcome);
    expect(summarize(await other)).toMatchObject({ stopReason: 'end_turn', text: `${long} ` });
    expect(gateway.process.exitCode).toBeNull();
  });

  it('leaves no hold behind', async () => {
    await expect.poll(leftAndSpent).toBeCloseTo(1_000, 9);
  });

  it('is logged if it is caught nowhere else', () => {
    expect(gateway.log()).toContain('"uncaught error"');
  });
});
