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
import { videoCandidate } from '../../lambdas/routing/video-candidates.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { readVideo } from '../../lambdas/store/generations/video-jobs.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { advanceVideo } from '../../lambdas/inference/videos/advance.ts';
import { decodeVideoMessage, encodeVideoMessage } from '../../lambdas/inference/videos/message.ts';
import { startVideo } from '../../lambdas/inference/videos/start.ts';
import type { VideoTools } from '../../lambdas/inference/videos/tools.ts';
import { createBucket } from '../../lib/local/bucket.ts';
import { startSqs } from '../../lib/local/queues.ts';
import { catalogDirectory } from './catalog.ts';
import { setEnvironment } from './process-environment.ts';
import type { Spender } from './spending.ts';
import { filmCatalog, startVideoProvider, type VideoScript } from './video-provider.ts';

/**
 * Point at which a function is stopped: before or after the write with number `at`, counted over all functions of the
 * test.
 */
export interface Kill {
  at: number;
  when: 'before' | 'after';
}

/** Milliseconds until a message is delivered again, if its function was stopped. */
const VISIBILITY_MS = 24 * 60_000;

/**
 * Starts everything that is needed to generate videos, in this process, with an emulated table and bucket and a local
 * provider. The queue has simulated time, so that hours pass immediately.
 */
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
   * Executes a write, during which the function may be stopped. The promise of a stopped function never settles, so
   * that no code can react to the stop.
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

  /**
   * Runs a function of the gateway.
   * @returns whether the function ended without being stopped
   */
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
  const tools: VideoTools = {
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
    candidateOf: (modelId, endpointId) => videoCandidate(catalog, modelId, endpointId),
    onResult: () => {},
    nowMs: () => clock.ms,
    remainingMs: () => 240_000,
  };

  const handBack = ({ payer: { accountId }, id }: Generation) => jobs.send(encodeVideoMessage({ accountId, id }));

  async function deliver(body: string): Promise<void> {
    if (await survives(() => advanceVideo(tools, decodeVideoMessage(body)))) return;
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
    /**
     * Submits a job as POST /videos does.
     * @returns the job's id, whether or not the function was stopped
     */
    async submit(spender: Spender, script: VideoScript, callbackUrl?: string): Promise<string> {
      // A job may take longer than a day; its hold counts in the time windows of its submission.
      state.submittedAtMs = clock.ms;
      const generationId = `gen-${uuidv7(clock.ms)}`;
      const model = catalog.find('test/film')!;
      const candidates = await Promise.all(model.endpoints.map(({ id }) => videoCandidate(catalog, model.id, id)));
      const caller = {
        payer: spender.payer,
        scopes: spender.scopes,
        account: {},
        key: noUseLimits,
      } as InferenceCaller;
      const settings = { durationSeconds: 5, resolution: '768p', aspectRatio: '16:9' };
      const start = () =>
        startVideo(
          { table: mortalTable, bucket: mortalBucket, jobs, bootId: 'boot' },
          {
            generationId,
            caller,
            candidates: candidates.map((candidate) => candidate!),
            request: { ...settings, prompt: JSON.stringify(script), frames: [], seed: undefined, withAudio: undefined },
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
    job: async (spender: Spender, id: string) => (await readVideo(table, spender.payer.accountId, id))?.job,
    generation: async (spender: Spender, id: string) =>
      (await readVideo(table, spender.payer.accountId, id))?.generation,
  };
}

/** Returns the key of the stored request of a job. */
export function requestKeyOf({ id, payer }: { id: string; payer: { accountId: string } }): string {
  return `video-requests/${payer.accountId}/${id}`;
}
