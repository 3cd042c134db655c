import { createServer } from 'node:http';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import type { JobCandidate } from '../../lambdas/routing/job-candidates.ts';
import { advanceJob } from '../../lambdas/inference/jobs/advance.ts';
import { keyOfFile } from '../../lambdas/inference/videos/content.ts';
import { decodeJobMessage } from '../../lambdas/inference/jobs/message.ts';
import { fileKey } from '../../lambdas/inference/jobs/objects.ts';
import { listen } from '../support/listen.ts';
import { keepLog } from '../support/log-lines.ts';
import { repeated } from '../support/long-runs.ts';
import { refused } from '../support/refused.ts';
import { unprovenRecords } from '../support/proof.ts';
import { books, newSpender, rub, settledEverywhere, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { videoBytes, type VideoScript } from '../support/video-provider.ts';
import { requestKeyOf, startVideoWorks, type Kill, type VideoWorks } from '../support/video-works.ts';

const PRICE = '62.5';
const HOUR_MS = 3_600_000;

let table: Table;
let works: VideoWorks;
let candidateOf: VideoWorks['tools']['candidateOf'];
let spender: Spender;
beforeAll(async () => {
  table = await newTable();
  works = await startVideoWorks(table, ['one', 'two']);
  ({ candidateOf } = works.tools);
});
afterAll(() => works.stop());
beforeEach(async () => {
  spender = await newSpender(table, { key: { lifetime: rub('100000') } });
});
afterEach(() => {
  vi.restoreAllMocks();
  works.tools.candidateOf = candidateOf;
  works.messages.length = 0;
  works.provider.requests.length = 0;
  works.provider.tokens.length = 0;
  Object.assign(works.state, { kill: undefined, writes: 0 });
});

async function made(script: VideoScript) {
  const id = await works.submit(spender, script);
  await works.run();
  return { id, job: (await works.job(spender, id))!, generation: (await works.generation(spender, id))! };
}

/** Changes the wire of all endpoints until the end of the test. */
function useWire(change: (wire: JobCandidate['wire']) => JobCandidate['wire']): void {
  works.tools.candidateOf = async (...of) => {
    const candidate = (await candidateOf(...of))!;
    return { ...candidate, wire: change(candidate.wire) };
  };
}

const spentOnly = async (amount: string) =>
  expect((await books(table, spender, works.state.submittedAtMs)).key).toEqual(settledEverywhere(amount));
const asked = () => works.provider.requests.map((request) => request.replace(/gen-[^/?]+/, '{id}'));

const kills = (writes: number) =>
  Array.from({ length: writes }, (_, index): Kill[] => [
    { at: index + 1, when: 'before' },
    { at: index + 1, when: 'after' },
  ]).flat();

const random = (most: number) => Math.floor(Math.random() * most);
const pick = <Value>(...values: Value[]): Value => values[random(values.length)]!;

describe('a video job', () => {
  it('is held completely, made, stored and charged once', async () => {
    const id = await works.submit(spender, { poll: ['pending', 'in_progress', 'completed'] });
    expect((await books(table, spender)).key.lifetime).toBe(`0 of ${PRICE}`);

    await works.run();

    const job = (await works.job(spender, id))!;
    expect(job).toMatchObject({ state: 'completed', files: [{ bytes: 1_000, mediaType: 'video/mp4' }], polls: 2 });
    expect(await works.bucket.get(fileKey(job, 0))).toEqual(videoBytes(1_000));
    expect((await works.generation(spender, id))!.outcome).toMatchObject({
      videoSeconds: 5,
      ending: 'complete',
      cancelled: false,
    });
    await spentOnly(PRICE);
  });

  it('stores no text of the prompt in the table, nor in the bucket after a provider has it', async () => {
    const id = await works.submit(spender, { submit: [503, 'accept'], poll: ['failed'] });
    const job = (await works.job(spender, id))!;
    expect(await works.bucket.get(requestKeyOf(job))).toBeDefined();

    await works.run();

    expect(await works.bucket.get(requestKeyOf(job))).toBeUndefined();
    const { Items } = await documentsOf(table).send(new ScanCommand({ TableName: table.name }));
    const text = JSON.stringify(Items);
    expect(text).toContain(id);
    for (const words of ['accept', 'secret things', 'poll\\"']) expect(text).not.toContain(words);
  });

  it.each<[string, VideoScript, string, object]>([
    ['failed at its provider', { poll: ['failed'] }, 'failed', { ending: 'broke_off', finishReason: 'error' }],
    ['cancelled there', { poll: ['cancelled'] }, 'cancelled', { ending: 'broke_off', cancelled: true }],
    ['refused as a request', { submit: [400] }, 'failed', { ending: 'refused_before', providerStatus: 400 }],
    ['refused by every provider', { submit: [503] }, 'failed', { ending: 'refused_before', providerStatus: 503 }],
    ['never done', { poll: ['in_progress'] }, 'expired', { ending: 'out_of_time', cancelled: true }],
    ['without an answer from its provider', { poll: [500] }, 'expired', { ending: 'out_of_time' }],
    ['without a file at its provider', { file: [404] }, 'failed', { ending: 'broke_off' }],
  ])('that %s costs nothing', async (_, script, state, outcome) => {
    const { job, generation } = await made(script);

    expect(job).toMatchObject({ state, error: expect.any(String) as string });
    expect(generation).toMatchObject({ state: 'final', outcome: { ...outcome, cost: Money.zero, videoSeconds: null } });
    await spentOnly('0');
  });

  it('uses the next endpoint only while none has accepted it', async () => {
    const { generation } = await made({ submit: [503, 'accept'], poll: ['completed'] });

    expect(asked().slice(0, 3)).toEqual(['POST /one/videos', 'POST /two/videos', 'GET /two/videos/{id}']);
    expect(generation.outcome).toMatchObject({
      endpointId: 'test/film/two',
      providerName: 'Provider two',
      failedAttempts: [{ endpointId: 'test/film/one', status: 503 }],
    });
  });

  it.each<[string, VideoScript]>([
    ['no answer came', { submit: ['silence', 'accept'] }],
    ['a proxy answered in the place of the provider', { submit: [502, 'accept'] }],
    ['a proxy gave up waiting', { submit: [504, 'accept'] }],
    ['the provider failed in the middle', { submit: [500, 'accept'] }],
  ])('is submitted once to a provider without idempotency tokens: %s', async (_what, script) => {
    useWire((wire) => {
      const { hasSubmissionTokens: _, ...others } = wire;
      return others;
    });

    const { job, generation } = await made(script);

    expect(asked()).toEqual(['POST /one/videos']);
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^It is unknown whether Provider one accepted the request/) as string,
    });
    expect(generation).toMatchObject({ state: 'final', outcome: { ending: 'refused_before', cost: Money.zero } });
    await spentOnly('0');
  });

  it('that content moderation stopped says so, because another attempt would be stopped too', async () => {
    useWire((wire) => ({ ...wire, readPolled: () => ({ state: 'failed', wasModerated: true }) }));

    expect((await made({})).job.error).toBe(
      'The content moderation of Provider one stopped the video. Check the prompt, the frames and the settings.',
    );
  });

  it.each<[string, VideoScript]>([
    ['no answer came', { submit: ['silence', 'accept'] }],
    ['a proxy answered in the place of the provider', { submit: [502, 'accept'] }],
    ['a proxy gave up waiting', { submit: [504, 'accept'] }],
    ['the provider failed in the middle', { submit: [500, 'accept'] }],
  ])('is submitted again at the same endpoint, with the same token: %s', async (_what, script) => {
    const { id, job } = await made(script);

    expect(asked().slice(0, 2)).toEqual(['POST /one/videos', 'POST /one/videos']);
    expect(works.provider.tokens).toEqual([id, id]);
    expect(job.state).toBe('completed');
  });

  it('stays at an endpoint that may have accepted it, whatever a later attempt there answers', async () => {
    const { id, job } = await made({ submit: [502, 503, 429, 'accept'] });

    expect(asked().slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'POST /one/videos'));
    expect(works.provider.tokens).toEqual([id, id, id, id]);
    expect(job.state).toBe('completed');
  });

  it.each([
    ['its only possible endpoint', [502, 401, 'accept'], ['one', 'one']],
    ['every endpoint', [401], ['one', 'two', 'one', 'two', 'one', 'two']],
  ] as const)('that %s refuses because of its account names the operator', async (_, submit, endpoints) => {
    const { job } = await made({ submit: [...submit] });

    expect(asked()).toEqual(endpoints.map((id) => `POST /${id}/videos`));
    expect(job.error).toBe(
      `Provider ${endpoints.at(-1)} refused the credential or account of the gateway (status 401). Contact the gateway's operator.`,
    );
  });

  it('is polled at growing intervals of at most thirty seconds', async () => {
    const { job } = await made({ poll: [...Array.from({ length: 9 }, () => 'in_progress'), 'completed'] });

    expect(job.endedAtMs! - job.createdAtMs).toBe((2 + 4 + 8 + 16 + 30 * 6) * 1_000);
  });

  it('survives an outage of its provider, and downloads an interrupted file again', async () => {
    const { job } = await made({ poll: [500, 'nonsense', 'completed'], file: [{ brokenAfter: 500 }, { bytes: 700 }] });

    expect(job).toMatchObject({ state: 'completed', files: [{ bytes: 700 }], fetches: 2 });
  });

  it('alerts the operator if its provider refuses the credential of a poll', async () => {
    const lines = keepLog();

    const { job } = await made({ poll: [401, 404, 'completed'] });

    expect(job.state).toBe('completed');
    expect(lines.filter(({ message }) => message === 'provider refuses the operator')).toEqual([
      expect.objectContaining({ generationId: job.id, provider: 'one', reason: 'status 401' }),
    ]);
  });

  it('continues if a notice of its provider arrives before its own message', async () => {
    const id = await works.submit(spender, { poll: ['in_progress', 'in_progress', 'in_progress', 'completed'] });
    await works.run(works.clock.ms + 1_000);
    const { body, dueAtMs } = works.messages.pop()!;
    const message = decodeJobMessage(body);
    works.clock.ms = dueAtMs;

    await Promise.all([true, false].map((isNotice) => advanceJob(works.tools, { ...message, isNotice })));
    await works.run();

    expect((await works.job(spender, id))!.state).toBe('completed');
  });

  it('sends no request to the provider for a message that is early or duplicate', async () => {
    const id = await works.submit(spender, { poll: ['in_progress'] });
    const { body } = works.messages[0]!;
    await works.run(works.clock.ms + 1_000);
    const before = asked().length;

    for (let times = 0; times < 20; times += 1) works.messages.push({ dueAtMs: works.clock.ms, body });
    await works.run(works.clock.ms + 500);

    expect(asked()).toHaveLength(before);
    expect((await works.job(spender, id))!.state).toBe('submitted');
  });
});

describe('the file of a video', () => {
  const DAY_MS = 24 * HOUR_MS;
  it('is available for seven days after its completion', async () => {
    const { job } = await made({});
    const at = (change: object, afterMs: number, index = 0) =>
      refused(() => keyOfFile({ ...job, ...change }, index, job.endedAtMs! + afterMs)).status;

    expect(keyOfFile(job, 0, job.endedAtMs! + 7 * DAY_MS - 1)).toBe(fileKey(job, 0));
    expect(at({}, 7 * DAY_MS)).toBe(410);
    expect(at({}, 0, 1)).toBe(404);
    expect(at({ state: 'storing' }, 0)).toBe(409);
    expect(at({ state: 'expired' }, 0)).toBe(404);
  });

  it('above the maximum size is not read at all', async () => {
    const { job } = await made({ file: [{ claims: 512 * 1024 * 1024 + 1 }] });

    expect(job).toMatchObject({ state: 'failed', fetches: 1, error: 'The video is larger than 512 MB.' });
  });
});

describe('a callback of a video job', () => {
  it.each<[string, number[], number]>([
    ['is sent until it arrives', [500, 503, 204], 3],
    ['is not repeated if the server refuses it', [410], 1],
    ['is given up after eight tries', [500], 8],
  ])('%s, and changes nothing else', async (_, statuses, tries) => {
    const ids: string[] = [];
    const hook = await listen(
      createServer((request, response) => {
        ids.push(String(request.headers['webhook-id']));
        response.writeHead(statuses[Math.min(ids.length, statuses.length) - 1]!).end();
      }),
    );

    const id = await works.submit(spender, {}, hook.url);
    await works.run();

    await hook.stop();
    expect(ids).toEqual(Array.from({ length: tries }, () => `msg_${id}`));
    expect(await works.job(spender, id)).toMatchObject({ state: 'completed', isCalledBack: true });
    await spentOnly(PRICE);
  });
});

describe('a function that is killed', () => {
  const scripts: [string, VideoScript, string][] = [
    ['makes a video', { submit: [503, 'accept'], poll: ['in_progress', 'completed'] }, PRICE],
    ['fails at its provider', { poll: ['failed'] }, '0'],
    ['is refused', { submit: [400] }, '0'],
  ];
  it.each(scripts)(
    'at any write of a job that %s changes neither its result nor its price',
    async (_, script, cost) => {
      await works.submit(spender, script);
      const beganAt = works.state.writes;
      await works.run();
      const writes = works.state.writes - beganAt;
      expect(writes).toBeGreaterThan(2);
      const before = (await books(table, spender)).key.lifetime;

      for (const kill of kills(writes)) {
        spender = await newSpender(table, { key: { lifetime: rub('100000') } });
        works.provider.tokens.length = 0;
        const id = await works.submit(spender, script);
        works.state.writes = 0;
        works.state.kill = kill;
        await works.run();
        works.state.kill = undefined;
        const job = (await works.job(spender, id))!;
        expect([kill, job.state]).toEqual([kill, cost === '0' ? 'failed' : 'completed']);
        expect([kill, (await books(table, spender)).key.lifetime]).toEqual([kill, before]);
        expect(new Set(works.provider.tokens)).toEqual(new Set([id]));
        expect([kill, await works.bucket.get(requestKeyOf(job))]).toEqual([kill, undefined]);
      }
    },
  );

  it('at any write of a submission leaves no hold after the sweep', async () => {
    await works.submit(spender, {});
    const { writes } = works.state;
    await works.run();

    for (const kill of kills(writes)) {
      spender = await newSpender(table, { key: { lifetime: rub('100000') } });
      Object.assign(works.state, { writes: 0, kill });
      await works.submit(spender, {});
      works.state.kill = undefined;
      const told = works.messages.length > 0;
      await works.run();
      await works.sweep();
      await works.run();

      expect([kill, (await books(table, spender)).key.lifetime]).toEqual([
        kill,
        told ? `${PRICE} of ${PRICE}` : '0 of 0',
      ]);
    }
  });

  it('together with its messages is found by the sweep after the deadline, and the job expires free of charge', async () => {
    const id = await works.submit(spender, { poll: ['in_progress'] });
    await works.run(works.clock.ms + HOUR_MS);
    works.messages.length = 0;

    await works.sweep();
    await works.run();

    expect((await works.job(spender, id))!.state).toBe('expired');
    await spentOnly('0');
  });
});

describe('many concurrent video jobs', () => {
  it('cost the sum of their prices, and leave no hold', async () => {
    const ids: string[] = [];
    for (let made = 0; made < repeated(500, { ofWhichAlways: 8 }); made += 1) {
      ids.push(
        await works.submit(spender, {
          submit: [pick<number | 'accept' | 'silence'>('accept', 'silence', 400, 429, 503), 'accept'],
          poll: [
            pick<string | number>('in_progress', 500, 'nonsense'),
            pick('completed', 'completed', 'failed', 'cancelled'),
          ],
          file: [pick({ bytes: 10 }, { brokenAfter: 10 }), { bytes: 10 }],
        }),
      );
      works.state.writes = 0;
      works.state.kill = { at: 1 + random(14), when: pick('before', 'after') };
      await works.run();
      works.state.kill = undefined;
    }

    const jobs = await Promise.all(ids.map((id) => works.job(spender, id)));
    const paid = jobs.filter((job) => job?.state === 'completed').length;
    expect((await books(table, spender)).key.lifetime).toBe(`${rub(PRICE).times(paid)} of ${rub(PRICE).times(paid)}`);
    expect(await unprovenRecords(table)).toEqual([]);
  });
});
