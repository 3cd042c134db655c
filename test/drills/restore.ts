import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import {
  askAsStep,
  checkBooks,
  inDrill,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
  type DrillTools,
} from './drill.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';
import type { DrilledAnswer, DrilledGateway } from './gateway-process.ts';
import { rounded, rubOf } from './roubles.ts';

/**
 * Drill: the table is lost during requests, and is restored from an export at another address, which the running
 * gateway then uses. Running streams complete, refused requests succeed later, and records from after the export are
 * lost.
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
    const lost = await askAsStep(tools, 'requests after the export, whose records will be lost', { gateway, key });
    const spentBefore = await gateway.spentRub(key);
    const underWay = await Promise.all(Array.from({ length: requests }, () => gateway.begin(key)));
    table.faultFor = () => 'unavailable';
    const meanwhile = Array.from({ length: requests }, () => askUntilAnswered(gateway, key));
    const wholes = await Promise.all(underWay.map(({ isWhole }) => isWhole));
    const broken = wholes.filter((isWhole) => !isWhole).length;
    done(
      'streams that are running when the table is lost',
      broken === 0,
      `${requests - broken} completed, ${broken} broke off`,
    );
    if (!(await restored(tools, books, table))) return;
    const { answers, refusals } = answersAndRefusals(await Promise.all(meanwhile));
    const areRefused = refusals.length > 0 && refusals.every(({ seen }) => seen.endsWith('with retry-after'));
    done('requests without a table', areRefused, summarizeAnswers(refusals));
    done(
      'the same requests, retried after retry-after',
      answers.every(({ status }) => status === 200),
      summarizeAnswers(answers),
    );
    done(
      'lost spending',
      rounded(spentBefore - spentThen) === rubOf(lost),
      `${rubOf(lost)} RUB of ${lost.length} requests after the export, and the cost of the ${requests} streams: they have no records, and nobody is charged`,
    );
    const again = await askAsStep(tools, 'requests with the same key', { gateway, key });
    await checkBooks(tools, gateway, { key, rub: rubOf([...before, ...answers, ...again]) });
  });
}

/**
 * Restores the export into a new table, compares its books before any request spends money, and switches the gateway to
 * it.
 */
async function restored({ parent, done, admin, ends }: DrillTools, books: string, table: FaultProxy): Promise<boolean> {
  const data = join(parent, 'restored');
  const { code, answer } = await admin('--data', data, 'restore', books);
  done('restore', code === 0, `${String(answer['written'])} items, as of ${String(answer['until'])}`);
  if (code !== 0) return false;
  const reconciled = await admin('--data', data, 'reconcile', '--deep');
  done('books of the restored table', reconciled.answer['sound'] === true, 'compared before new spending');
  const dynamodb = await startDynamodb(data);
  ends.push(dynamodb.stop);
  table.target = dynamodb.endpoint;
  table.faultFor = () => undefined;
  return true;
}

/** Time in ms within which clients retry, as long as responses have `retry-after`. */
const RETRY_WITHIN_MS = 240_000;
const RETRY_AFTER_MS = 1_000;

/** Repeats a request as long as responses have `retry-after`, and returns all responses. */
async function askUntilAnswered(gateway: DrilledGateway, key: string): Promise<DrilledAnswer[]> {
  const deadlineMs = performance.now() + RETRY_WITHIN_MS;
  const answers = [await gateway.ask(key)];
  while (answers.at(-1)!.seen.endsWith('with retry-after') && performance.now() < deadlineMs) {
    await sleep(RETRY_AFTER_MS);
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
