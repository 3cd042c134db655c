/** What every drill has in common: a directory of its own, steps that are told as they end, and the same last question. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable, LOCAL_TABLE, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { runCommand, startedGateway, type DrilledAnswer, type DrilledGateway } from './gateway-process.ts';

/** A step, and what it has shown. */
export interface DrillStep {
  step: string;
  isRight: boolean;
  says: string;
}

export interface DrillOptions {
  /** How many before, during and after what goes wrong. */
  requests: number;
  /** Is told of each step as it ends. */
  tell: (step: DrillStep) => void;
}

/** What a drill works with. */
export interface DrillTools {
  /** Nothing is in it at first. */
  parent: string;
  /** Of the gateway. */
  data: string;
  requests: number;
  done: (step: string, isRight: boolean, says: string) => void;
  /** An operator's command on the gateway's data, answered in JSON. */
  admin: (...args: string[]) => ReturnType<typeof runCommand>;
  /** The gateway of the drill; it ends with it. */
  start: (more?: { args?: string[]; env?: Record<string, string> }) => Promise<DrilledGateway>;
  /** The gateway on a table that lets the drill do to its calls what DynamoDB may do. @param prepare is called before the first of them */
  startOnTable: (prepare?: (table: FaultProxy) => void) => Promise<{ table: FaultProxy; gateway: DrilledGateway }>;
  /** Everything that is to be stopped when the drill ends, the last first. */
  ends: (() => Promise<void>)[];
  /** A key with a limit of 1,000 RUB. */
  limitedKey: () => Promise<string>;
}

/** Runs a drill in a directory of its own, and takes away what it has left. */
export async function inDrill(
  { requests, tell }: DrillOptions,
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
        tell(steps.at(-1)!);
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

/** Requests one after another, all of which must be answered: a step. @param model another one than the sandbox's */
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

/** What was told to have been charged. A float is enough to look at; the books are compared exactly. */
export function rubOf(answers: readonly DrilledAnswer[]): number {
  return rounded(answers.reduce((sum, { costRub }) => sum + (costRub ?? 0), 0));
}

export function rounded(rub: number): number {
  return Math.round(rub * 1e12) / 1e12;
}

/** The answers that clients got: how many of each status, and how long the slowest took. */
export function summarizeAnswers(answers: readonly DrilledAnswer[]): string {
  const kinds = Object.entries(Object.groupBy(answers, ({ seen }) => seen)).map(
    ([seen, of]) => `${of!.length} × ${seen}`,
  );
  const slowestMs = Math.max(...answers.map(({ durationMs }) => durationMs));
  return `${kinds.join(', ')}; the slowest took ${(slowestMs / 1000).toFixed(1)} s; ${rubOf(answers)} RUB told`;
}

/** More than a settlement takes that was refused for a while. */
const SETTLED_WITHIN_MS = 200_000;

/** The last two steps of all: what was told is what the key has spent, nothing is held, and the books agree. */
export async function checkBooks(
  { done, admin }: DrillTools,
  gateway: DrilledGateway,
  { key, rub }: { key: string; rub: number },
): Promise<void> {
  const deadlineMs = performance.now() + SETTLED_WITHIN_MS;
  let spent = await gateway.spentRub(key);
  while (Math.abs(spent - rub) > 1e-9 && performance.now() < deadlineMs) spent = await gateway.spentRub(key);
  done('what the key has spent', Math.abs(spent - rub) < 1e-9, `${spent} RUB; ${rub} RUB were told`);
  const { code, answer } = await admin('reconcile', '--deep');
  const isSound = code === 0 && answer['sound'] === true;
  const says = isSound ? 'records, rows, counters and payments are compared' : JSON.stringify(answer);
  done('the books', isSound, says.slice(0, MAX_SAID));
}

/** As much is told of what does not add up. */
const MAX_SAID = 2_000;
