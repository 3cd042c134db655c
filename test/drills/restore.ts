import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import {
  askAsStep,
  checkBooks,
  inDrill,
  rubOf,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
  type DrillTools,
} from './drill.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import type { DrilledAnswer, DrilledGateway } from './gateway-process.ts';

/**
 * The table is lost while requests are under way, and put back from an export under another address, which the running gateway then uses:
 * what is under way comes to its end, what is refused meanwhile is answered afterwards, and what came after the export is gone.
 */
export function drillRestore(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const { parent, requests, done, admin } = tools;
    const { table, gateway } = await tools.startOnTable();
    const { key } = gateway;
    const books = join(parent, 'export');
    const before = await askAsStep(tools, 'requests before the export', { gateway, key });
    const spentThen = await gateway.spentRub(key);
    const exported = await admin('export', books);
    done('export', exported.code === 0, `${String(exported.answer['items'])} items`);
    const lost = await askAsStep(tools, 'requests after it, which will be lost', { gateway, key });
    const spentBefore = await gateway.spentRub(key);
    const underWay = await Promise.all(Array.from({ length: requests }, () => gateway.begin(key)));
    table.faultFor = () => 'unavailable';
    const meanwhile = Array.from({ length: requests }, () => askUntilAnswered(gateway, key));
    const wholes = await Promise.all(underWay.map(({ isWhole }) => isWhole));
    const broken = wholes.filter((isWhole) => !isWhole).length;
    done(
      'streams under way when the table is lost',
      broken === 0,
      `${requests} came to their end, ${broken} broke off`,
    );
    if (!(await restored(tools, books, table))) return;
    const { answers, refusals } = answersAndRefusals(await Promise.all(meanwhile));
    const areTold = refusals.length > 0 && refusals.every(({ seen }) => seen.endsWith('with retry-after'));
    done('requests without a table', areTold, summarizeAnswers(refusals));
    done(
      'the same requests, sent again as they were told',
      answers.every(({ status }) => status === 200),
      summarizeAnswers(answers),
    );
    done(
      'what is lost',
      Math.abs(spentBefore - spentThen - rubOf(lost)) < 1e-9,
      `${rubOf(lost)} RUB of ${lost.length} requests that were told their cost after the export, and what the ${requests} streams came to: no record has them, and nobody is charged`,
    );
    const again = await askAsStep(tools, 'requests with the same key', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...answers, ...again]) });
  });
}

/** Puts the export into a table of its own, compares its books before anything is spent, and lets the gateway go on with it. */
async function restored({ parent, done, admin, ends }: DrillTools, books: string, table: FaultProxy): Promise<boolean> {
  const data = join(parent, 'restored');
  const { code, answer } = await admin('--data', data, 'restore', books);
  done('restore', code === 0, `${String(answer['written'])} items, as of ${String(answer['until'])}`);
  if (code !== 0) return false;
  const reconciled = await admin('--data', data, 'reconcile', '--deep');
  done('books of the restored table', reconciled.answer['sound'] === true, 'compared before anything is spent');
  const dynamodb = await startDynamodb(data);
  ends.push(dynamodb.stop);
  table.target = dynamodb.endpoint;
  table.faultFor = () => undefined;
  return true;
}

/** A client that comes again when it is told to. */
const COMES_AGAIN_WITHIN_MS = 240_000;
const COMES_AGAIN_AFTER_MS = 1_000;

/** @returns every answer it got, the last of them the one it kept */
async function askUntilAnswered(gateway: DrilledGateway, key: string): Promise<DrilledAnswer[]> {
  const deadlineMs = performance.now() + COMES_AGAIN_WITHIN_MS;
  const answers = [await gateway.ask(key)];
  while (answers.at(-1)!.seen.endsWith('with retry-after') && performance.now() < deadlineMs) {
    await sleep(COMES_AGAIN_AFTER_MS);
    answers.push(await gateway.ask(key));
  }
  return answers;
}

function answersAndRefusals(clients: readonly DrilledAnswer[][]): {
  answers: DrilledAnswer[];
  refusals: DrilledAnswer[];
} {
  return { answers: clients.map((got) => got.at(-1)!), refusals: clients.flatMap((got) => got.slice(0, -1)) };
}
