import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { admin } from '../support/admin.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-mixed-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const KILLS = repeated(6, { ofWhichAlways: 2 });
const REQUESTS_A_ROUND = 60;
const LIVED_MS = 900;

const talk = [said('Write', 'tokens=60 delay=10')];
const question = { angry: { type: 'noul', instructions: 'Is the writer angry?' } };
/** Routes that spend money and answer immediately, for each kind of output. */
const requests: [string, object][] = [
  ['/messages', { model: 'sandbox/claude', max_tokens: 200, stream: true, messages: talk }],
  ['/messages', { model: 'sandbox/gpt', max_tokens: 200, messages: talk }],
  ['/chat/completions', { model: 'sandbox/gpt', max_tokens: 200, stream: true, messages: talk }],
  ['/chat/completions', { model: 'sandbox/priced', max_tokens: 200, messages: talk }],
  ['/chat/completions', { model: 'sandbox/illustrator', modalities: ['image', 'text'], stream: true, messages: talk }],
  [
    '/chat/completions',
    {
      model: 'sandbox/narrator',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      messages: talk,
    },
  ],
  ['/chat/completions', { model: 'sandbox/composer', modalities: ['text', 'audio'], messages: talk }],
  ['/responses', { model: 'sandbox/reasoner', max_output_tokens: 200, stream: true, input: talk }],
  ['/responses', { model: 'sandbox/gemini', max_output_tokens: 200, input: talk }],
  ['/embeddings', { model: 'sandbox/embedder', input: Array.from({ length: 80 }, (_, index) => `text ${index}`) }],
  ['/images', { model: 'sandbox/painter', prompt: 'text', n: 5, size: '512x512' }],
  ['/images/generations', { model: 'sandbox/token-painter', prompt: 'text' }],
  ['/audio/speech', { model: 'sandbox/speaker', input: 'text one two' }],
  ['/audio/speech', { model: 'sandbox/storyteller', voice: 'alto', input: 'text one two' }],
  ['/audio/transcriptions', { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
  ['/audio/transcriptions', { model: 'sandbox/token-scribe', input_audio: { data: shortRecording } }],
  ['/rerank', { model: 'sandbox/ranker', query: 'text', documents: ['text one', 'two'] }],
  ['/rerank', { model: 'sandbox/unit-ranker', query: 'text', documents: ['text one', 'two'] }],
  ['/decisions', { model: 'sandbox/judge', state: 'Where is my parcel?', questions: question }],
];

/** Request whose answer would begin only after the gateway was killed. */
const lateMessage = {
  model: 'sandbox/claude',
  max_tokens: 100,
  messages: [{ role: 'user', content: '@sandbox first=60000' }],
};

/** Sends requests concurrently, and ignores failures, because the gateway may be killed. */
async function loadOn(client: RunningGateway): Promise<void> {
  const send = async (index: number) => {
    const [path, body] = requests[index % requests.length]!;
    const response = await post(client, path, body);
    await response.text();
  };
  await Promise.all(Array.from({ length: REQUESTS_A_ROUND }, (_, index) => send(index).catch(() => undefined)));
}

async function generationsToday({ accountId, table }: RunningGateway): Promise<Generation[]> {
  return Array.fromAsync(generationsOfDay(table(), accountId, new Date().toISOString().slice(0, 10)));
}

it(
  'a load on routes of each kind of output leaves books that add up, although the gateway is killed',
  { timeout: 180_000 },
  async () => {
    let key: { key: string; hash: string } | undefined;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const gateway = await startGateway({ args: ['--data', directory] });
      key ??= (await admin(directory, 'keys', 'create', '--name', 'mixed', '--limit', '5000')) as unknown as typeof key;
      const client = { ...gateway, key: key!.key };
      const loaded = Promise.all([loadOn(client), post(client, '/messages', lateMessage).catch(() => undefined)]);
      await sleep(LIVED_MS);
      // The kill waits for a pending answer, even on a slow machine.
      await eventually(async () =>
        expect((await generationsToday(gateway)).map(({ state }) => state)).toContain('pending'),
      );
      await gateway.kill();
      await loaded;
    }
    const last = await startGateway({ args: ['--data', directory] });
    try {
      await loadOn({ ...last, key: key!.key });
      await eventually(
        async () => expect((await generationsToday(last)).filter(({ state }) => state === 'pending')).toEqual([]),
        200,
      );

      const generations = await generationsToday(last);
      const total = Money.sum(generations.map(({ outcome }) => outcome!.cost)).toString();
      const scopes: ScopeId[] = [
        { kind: 'key', id: key!.hash },
        { kind: 'workspace', id: last.workspaceId },
        { kind: 'account', id: last.accountId },
      ];
      for (const scope of scopes) {
        const counter = await readCounter(last.table(), scope);
        for (const window of Object.values(windowsAt(Date.now()))) {
          expect([scope.kind, counter.spent(window).toString()]).toEqual([scope.kind, total]);
          expect([scope.kind, counter.committed(window).toString()]).toEqual([scope.kind, total]);
        }
      }
      expect(new Set(generations.map(({ apiType }) => apiType))).toEqual(
        new Set(['completions', 'embeddings', 'rerank', 'image', 'stt', 'tts', 'decisions']),
      );
      expect(generations.some(({ swept }) => swept)).toBe(true);
      expect(generations.length).toBeGreaterThan(REQUESTS_A_ROUND);
    } finally {
      await last.stop();
    }
  },
);
