/** A drill on this machine: the table is lost, and put back from an export. It says what clients saw, and whether the books are right. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, startedGateway, type DrilledGateway } from './gateway-process.ts';

/** A step, and what it has shown. */
export interface DrillStep {
  step: string;
  isRight: boolean;
  says: string;
}

interface Spent {
  requests: number;
  answered: number;
  rub: number;
}

/**
 * Runs the drill in a directory of its own: requests, an export, more requests, loss, restoring, comparison, and requests with the same keys.
 * @param tell is told of each step as it ends
 */
export async function drillRestore(requests: number, tell: (step: DrillStep) => void): Promise<DrillStep[]> {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-drill-'));
  const [data, books] = [join(parent, 'data'), join(parent, 'export')];
  const steps: DrillStep[] = [];
  const done = (step: string, isRight: boolean, says: string) => {
    steps.push({ step, isRight, says });
    tell(steps.at(-1)!);
  };
  const admin = (...args: string[]) => runCommand('bin/admin.ts', ['--data', data, '--json', ...args]);
  let gateway: DrilledGateway | undefined;
  try {
    gateway = await startedGateway(data);
    const { key } = gateway;
    const before = await spend(gateway, key, requests);
    done('requests before the export', before.answered === requests, saysOf(before));
    const exported = await admin('export', books);
    done('export', exported.code === 0, `${String(exported.answer['items'])} items`);
    const after = await spend(gateway, key, Math.ceil(requests / 4));
    done('requests after it, which will be lost', after.answered === after.requests, saysOf(after));
    await gateway.stop();
    gateway = undefined;
    const lost = readdirSync(data).filter((name) => name.startsWith('dynamodb.'));
    for (const name of lost) rmSync(join(data, name), { recursive: true });
    done('loss of the table', lost.length > 0, lost.join(', '));
    const restored = await admin('restore', books);
    done(
      'restore',
      restored.code === 0,
      `${String(restored.answer['written'])} items, as of ${String(restored.answer['until'])}`,
    );
    if (restored.code !== 0) return steps;
    const reconciled = await admin('reconcile', '--deep');
    done(
      'books of the restored table',
      reconciled.code === 0 && reconciled.answer['sound'] === true,
      'records, rows, counters and payments agree',
    );
    gateway = await startedGateway(data);
    const again = await spend(gateway, key, requests);
    done('requests with the same key', again.answered === requests, saysOf(again));
    const spent = await gateway.spentRub(key);
    const expected = before.rub + again.rub;
    done(
      'what the key has spent',
      Math.abs(spent - expected) < 1e-9,
      `${spent} RUB: without the ${after.rub} RUB of what was lost`,
    );
    await gateway.stop();
    gateway = undefined;
    const last = await admin('reconcile', '--deep');
    done('books at the end', last.code === 0, 'records, rows, counters and payments agree');
    return steps;
  } finally {
    await gateway?.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

async function spend(gateway: DrilledGateway, key: string, requests: number): Promise<Spent> {
  const spent: Spent = { requests, answered: 0, rub: 0 };
  for (let index = 0; index < requests; index += 1) {
    const cost = await gateway.ask(key);
    if (cost === undefined) continue;
    spent.answered += 1;
    spent.rub += cost;
  }
  // A float is enough to look at; the books are compared exactly.
  spent.rub = Math.round(spent.rub * 1e12) / 1e12;
  return spent;
}

function saysOf({ requests, answered, rub }: Spent): string {
  return `${answered} of ${requests} answered, ${rub} RUB`;
}
