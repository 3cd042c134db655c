/** Code that all drills except the deployment drill share. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable, LOCAL_TABLE, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { runCommand, startedGateway, type DrilledAnswer, type DrilledGateway } from './gateway-process.ts';
import { rubOf } from './roubles.ts';

export interface DrillStep {
  step: string;
  isRight: boolean;
  says: string;
}

export interface DrillOptions {
  /** Number of requests in each step: before, during and after the failure. */
  requests: number;
  /** Called with each step as it ends. */
  report: (step: DrillStep) => void;
}

export interface DrillTools {
  /** Temporary directory, initially empty. */
  parent: string;
  /** Data directory of the gateway. */
  data: string;
  requests: number;
  done: (step: string, isRight: boolean, says: string) => void;
  /** Runs an operator's command on the gateway's data, and returns its exit code and JSON output. */
  admin: (...args: string[]) => ReturnType<typeof runCommand>;
  /** Starts a gateway, which is stopped when the drill ends. */
  start: (more?: { args?: string[]; env?: Record<string, string> }) => Promise<DrilledGateway>;
  /**
   * Starts a gateway whose calls to DynamoDB pass through a proxy that can inject faults.
   * @param prepare called before the first call
   */
  startOnTable: (prepare?: (table: FaultProxy) => void) => Promise<{ table: FaultProxy; gateway: DrilledGateway }>;
  /** Cleanup functions, of which the last one runs first. */
  ends: (() => Promise<void>)[];
  /** Creates a key with a limit of 1,000 RUB. */
  limitedKey: () => Promise<string>;
}

/** Runs a drill in a temporary directory, and cleans up after it. */
export async function inDrill(
  { requests, report }: DrillOptions,
  work: (tools: DrillTools) => Promise<void>,
): Promise<DrillStep[]> {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-drill-'));
  const data = join(parent, 'data');
  const steps: DrillStep[] = [];
  const ends: (() => Promise<void>)[] = [];
  const admin: DrillTools['admin'] = (...args) => runCommand('bin/admin.ts', ['--data', data, '--json', ...args]);
  const start: DrillTools['start'] = async (more) => {
    const gateway = await startedGateway(data, more);
    ends.push(gateway.stop);
    return gateway;
  };
  try {
    await work({
      parent,
      data,
      requests,
      done(step, isRight, says) {
        steps.push({ step, isRight, says });
        report(steps.at(-1)!);
      },
      admin,
      start,
      ends,
      async startOnTable(prepare) {
        const dynamodb = await startDynamodb(undefined);
        ends.push(dynamodb.stop);
        await createTable(dynamodb.endpoint, LOCAL_TABLE);
        const table = await startFaultProxy(dynamodb.endpoint);
        ends.push(table.stop);
        prepare?.(table);
        return { table, gateway: await start({ env: { DYNAMODB_ENDPOINT: table.endpoint } }) };
      },
      async limitedKey() {
        const { answer } = await admin('keys', 'create', '--name', 'Limited', '--limit', '1000');
        return String(answer['key']);
      },
    });
    return steps;
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(parent, { recursive: true, force: true });
  }
}

/**
 * Sends sequential requests, which must succeed, and reports one step.
 * @param model default: the sandbox's model
 */
export async function askAsStep(
  { requests, done }: Pick<DrillTools, 'requests' | 'done'>,
  step: string,
  { gateway, key, model }: { gateway: DrilledGateway; key: string; model?: string },
): Promise<DrilledAnswer[]> {
  const answers = await askOneByOne(gateway, { key, requests, model });
  const areAnswered = answers.every(({ status }) => status === 200);
  done(step, areAnswered, summarizeAnswers(answers));
  return answers;
}

export async function askOneByOne(
  gateway: DrilledGateway,
  { key, requests, model }: { key: string; requests: number; model?: string | undefined },
): Promise<DrilledAnswer[]> {
  const answers: DrilledAnswer[] = [];
  for (let index = 0; index < requests; index += 1) answers.push(await gateway.ask(key, model));
  return answers;
}

export function askAtOnce(
  gateway: DrilledGateway,
  key: string,
  requests: number,
  model?: string,
): Promise<DrilledAnswer[]> {
  return Promise.all(Array.from({ length: requests }, () => gateway.ask(key, model)));
}

/** Returns the number of responses per status, the duration of the slowest, and the total cost. */
export function summarizeAnswers(answers: readonly DrilledAnswer[]): string {
  const kinds = Object.entries(Object.groupBy(answers, ({ seen }) => seen)).map(
    ([seen, of]) => `${of!.length} × ${seen}`,
  );
  const slowestMs = Math.max(...answers.map(({ durationMs }) => durationMs));
  return `${kinds.join(', ')}; the slowest took ${(slowestMs / 1000).toFixed(1)} s; ${rubOf(answers)} RUB reported`;
}

/** Time within which all costs are settled. Settlements that the table refused for a while take longer than others. */
const SETTLED_WITHIN_MS = 200_000;

/** Checks that the key has spent the cost that responses reported, and that the books agree. */
export async function checkBooks(
  { done, admin }: DrillTools,
  gateway: DrilledGateway,
  { key, rub }: { key: string; rub: number },
): Promise<void> {
  const deadlineMs = performance.now() + SETTLED_WITHIN_MS;
  let spent = await gateway.spentRub(key);
  while (spent !== rub && performance.now() < deadlineMs) spent = await gateway.spentRub(key);
  done('spending of the key', spent === rub, `${spent} RUB; responses reported ${rub} RUB`);
  const { code, answer } = await admin('reconcile', '--deep');
  const isSound = code === 0 && answer['sound'] === true;
  const says = isSound ? 'records, rows, counters and payments agree' : JSON.stringify(answer);
  done('the books', isSound, says.slice(0, MAX_SAID));
}

const MAX_SAID = 2_000;
