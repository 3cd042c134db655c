import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { readSettlement } from '../../lambdas/accounting/read-settlement.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import type { InferenceCaller } from '../../lambdas/admission/caller.ts';
import { noUseLimits } from '../../lambdas/store/accounts/use-limits.ts';
import type { Catalog } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { uuidv7 } from '../../lambdas/platform/ids.ts';
import { openBucket, type Bucket } from '../../lambdas/platform/aws/objects.ts';
import { jobCandidate } from '../../lambdas/routing/job-candidates.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { readJobAndGeneration } from '../../lambdas/store/generations/provider-jobs.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { advanceJob } from '../../lambdas/inference/jobs/advance.ts';
import { decodeJobMessage, encodeJobMessage } from '../../lambdas/inference/jobs/message.ts';
import { startJob } from '../../lambdas/inference/jobs/start.ts';
import type { JobTools } from '../../lambdas/inference/jobs/tools.ts';
import { videoJobs } from '../../lambdas/inference/videos/kind.ts';
import { videoTerms } from '../../lambdas/inference/videos/terms.ts';
import { createBucket } from '../../lib/local/bucket.ts';
import { startSqs } from '../../lib/local/queues.ts';
import { catalogDirectory } from './catalog.ts';
import { setEnvironment } from './process-environment.ts';
import type { Spender } from './spending.ts';
import { filmCatalog, startVideoProvider, type VideoScript } from './video-provider.ts';

/** A function is stopped before or after the write with number `at`, counted over all functions of the test. */
export interface Kill {
  at: number;
  when: 'before' | 'after';
}

/** The message of a stopped function is delivered again after this time. */
const VISIBILITY_MS = 24 * 60_000;

/** Starts everything for the generation of videos in this process, with simulated time. */
export async function startVideoWorks(table: Table, paths = ['one']) {
  const provider = await startVideoProvider();
  const files = filmCatalog(provider.url, paths);
  const directory = catalogDirectory(files.models, files.providers);
  const secrets = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  writeFileSync(join(secrets, 'secrets.json'), '{"pepper": "p"}');
  const s3 = await startSqs();
  const putBack = setEnvironment({
    [variables.secretsFile]: join(secrets, 'secrets.json'),
    [variables.s3Endpoint]: s3.endpoint,
    [variables.bucketName]: await createBucket(s3.endpoint),
  });
  const works = worksOf(table, loadCatalog(directory.path));
  return {
    ...works,
    provider,
    async stop() {
      putBack();
      await s3.stop();
      await provider.stop();
      directory.remove();
      rmSync(secrets, { recursive: true, force: true });
    },
  };
}
export type VideoWorks = Awaited<ReturnType<typeof startVideoWorks>>;

function worksOf(table: Table, catalog: Catalog) {
  const bucket = openBucket();
  const clock = { ms: Date.now() };
  const messages: { dueAtMs: number; body: string }[] = [];
  const state = { kill: undefined as Kill | undefined, writes: 0, submittedAtMs: 0, died: () => {} };

  /**
   * Makes a write, before or after which the function may be stopped. The promise of a stopped function never settles,
   * so that no code can react to the stop.
   */
  async function written<Result>(write: () => Promise<Result>): Promise<Result> {
    state.writes += 1;
    const isLast = state.kill?.at === state.writes;
    if (isLast && state.kill!.when === 'before') await death();
    const result = await write();
    if (isLast) await death();
    return result;
  }

  function death(): Promise<never> {
    state.died();
    return new Promise(() => {});
  }

  /** Returns whether the function ended without being stopped. */
  async function survives(work: () => Promise<unknown>): Promise<boolean> {
    const { promise: died, resolve } = Promise.withResolvers<void>();
    state.died = resolve;
    return Promise.race([work().then(() => true), died.then(() => false)]);
  }

  const mortalTable: Table = {
    ...table,
    call: <Output>(operation: string, ...rest: [object]) => {
      const send = () => table.call<Output>(operation, ...rest);
      return /^(?:Put|Update|TransactWrite)/.test(operation) ? written(send) : send();
    },
  };
  const mortalBucket: Bucket = {
    ...bucket,
    put: (...file) => written(() => bucket.put(...file)),
    putStream: (...file) => written(() => bucket.putStream(...file)),
    delete: (key) => written(() => bucket.delete(key)),
  };
  const jobs = {
    send: (body: string, { delaySeconds = 0 } = {}) =>
      written(() => {
        messages.push({ dueAtMs: clock.ms + delaySeconds * 1_000, body });
        return Promise.resolve();
      }),
  };
  const tools: JobTools = {
    kind: videoJobs,
    table: mortalTable,
    bucket: mortalBucket,
    jobs,
    settlements: {
      send: (body, { added } = {}) =>
        written(async () => {
          const [result] = await settleBatch(table, [readSettlement({ body, added })], { swept: false });
          if (result instanceof Error) throw result;
        }),
    },
    candidateOf: (modelId, endpointId) => jobCandidate(catalog, modelId, endpointId),
    onResult: () => {},
    nowMs: () => clock.ms,
    remainingMs: () => 240_000,
  };

  const handBack = ({ payer: { accountId }, id }: Generation) => jobs.send(encodeJobMessage({ accountId, id }));

  async function deliver(body: string): Promise<void> {
    if (await survives(() => advanceJob(tools, decodeJobMessage(body)))) return;
    messages.push({ dueAtMs: clock.ms + VISIBILITY_MS, body });
  }

  /** Advances the simulated time until the queue is empty, or until `untilMs`. */
  async function run(untilMs = Infinity): Promise<void> {
    for (;;) {
      messages.sort((a, b) => a.dueAtMs - b.dueAtMs);
      const next = messages[0];
      if (!next || next.dueAtMs > untilMs) break;
      messages.shift();
      clock.ms = Math.max(clock.ms, next.dueAtMs);
      await deliver(next.body);
    }
    if (untilMs !== Infinity) clock.ms = Math.max(clock.ms, untilMs);
  }

  return {
    tools,
    clock,
    messages,
    state,
    bucket,
    run,
    /** Submits a job as POST /videos does, and returns its id, whether or not the function was stopped. */
    async submit(spender: Spender, script: VideoScript, callbackUrl?: string): Promise<string> {
      // The hold of a job counts in the time windows of its submission.
      state.submittedAtMs = clock.ms;
      const generationId = `gen-${uuidv7(clock.ms)}`;
      const model = catalog.find('test/film')!;
      const found = await Promise.all(model.endpoints.map(({ id }) => jobCandidate(catalog, model.id, id)));
      const caller = {
        payer: spender.payer,
        scopes: spender.scopes,
        account: {},
        key: noUseLimits,
      } as InferenceCaller;
      const settings = { durationSeconds: 5, resolution: '768p', aspectRatio: '16:9' };
      const request = {
        ...settings,
        prompt: JSON.stringify(script),
        frames: [],
        seed: undefined,
        withAudio: undefined,
      };
      const routed = { request, candidates: found.map((candidate) => candidate!) };
      const start = () =>
        startJob(
          { kind: videoJobs, table: mortalTable, bucket: mortalBucket, jobs, bootId: 'boot' },
          {
            generationId,
            caller,
            ...routed,
            terms: videoTerms(routed),
            baseUrl: 'https://gateway.example/v1',
            callbackUrl,
            receivedAtMs: performance.now(),
            clientLeft: undefined,
            keptAnswer: () => undefined,
          },
        );
      await survives(start);
      return generationId;
    },
    /** Runs the sweep three hours later, when all work that it checks is due. */
    async sweep(): Promise<void> {
      clock.ms += 3 * 3_600_000;
      const result = await sweepHolds(table, { nowMs: clock.ms, backlog: 'none', handBack });
      if (result.failures.length > 0) throw new AggregateError(result.failures);
    },
    job: async (spender: Spender, id: string) => (await readJobAndGeneration(table, spender.payer.accountId, id))?.job,
    generation: async (spender: Spender, id: string) =>
      (await readJobAndGeneration(table, spender.payer.accountId, id))?.generation,
  };
}

export function requestKeyOf({ id, payer }: { id: string; payer: { accountId: string } }): string {
  return `video-requests/${payer.accountId}/${id}`;
}
