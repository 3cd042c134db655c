import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { Money } from '../../lambdas/money/money.ts';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { readCounter, type ScopeId } from '../../lambdas/store/counters/counters.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { openTable, type Table } from '../../lambdas/store/table/table.ts';
import { LocalState } from '../../lib/shared/data-directory/state.ts';
import { admin } from '../support/admin.ts';
import { post, said, startGateway } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-kill-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const STREAMS = 20;

async function readAll(table: Table, accountId: string, ids: Set<string>): Promise<Generation[]> {
  const found: Generation[] = [];
  const today = new Date().toISOString().slice(0, 10);
  for await (const generation of generationsOfDay(table, accountId, today)) found.push(generation);
  return found.filter(({ id }) => ids.has(id));
}

it('kill -9 in the middle of 20 streams loses no money', async () => {
  const first = await startGateway({ args: ['--data', directory] });
  // With spread records, the sweep must find the holds in each partition.
  await admin(directory, 'accounts', 'spread-records');
  const { key, hash } = await admin(directory, 'keys', 'create', '--name', 'limited', '--limit', '500');
  const client = { ...first, key: key as string };
  const responses = await Promise.all(
    Array.from({ length: STREAMS }, () =>
      post(client, '/messages', {
        model: 'sandbox/claude',
        max_tokens: 1_000,
        stream: true,
        messages: [said('Write', 'tokens=900 delay=10')],
      }),
    ),
  );
  const drained = responses.map((response) => response.text().catch(() => ''));
  const ids = new Set(responses.map((response) => response.headers.get('x-generation-id')!));
  await eventually(async () => {
    const measured = await readAll(first.table(), first.accountId, ids);
    expect(measured.filter(({ outcome }) => outcome !== undefined)).toHaveLength(STREAMS);
  }, 100);
  await first.kill();
  await Promise.all(drained);

  const second = await startGateway({ args: ['--data', directory] });
  try {
    const run = LocalState.at(directory).running()!;
    const table = openTable({ endpoint: run.dynamodb_endpoint, name: run.table_name });
    const scopes: ScopeId[] = [
      { kind: 'key', id: hash as string },
      { kind: 'workspace', id: second.workspaceId },
      { kind: 'account', id: second.accountId },
    ];
    const expectBooksToAddUp = async (generations: Generation[]) => {
      const total = Money.sum(generations.map(({ outcome }) => outcome!.cost)).toString();
      for (const scope of scopes) {
        const counter = await readCounter(table, scope);
        for (const window of Object.values(windowsAt(Date.now()))) {
          expect([scope.kind, counter.spent(window).toString()]).toEqual([scope.kind, total]);
          expect([scope.kind, counter.committed(window).toString()]).toEqual([scope.kind, total]);
        }
      }
    };

    const swept = await readAll(table, second.accountId, ids);
    expect(swept).toHaveLength(STREAMS);
    for (const generation of swept) {
      expect(generation).toMatchObject({ state: 'final', swept: true, outcome: { cancelled: true, estimated: true } });
      // The sweep's charge is based on the measured output, not on the input alone.
      expect(generation.outcome!.completionTokens).toBeGreaterThan(3);
    }
    await expectBooksToAddUp(swept);

    const [late] = swept;
    const { cost, completionTokens, pricing } = late!.outcome!;
    const real = {
      generationId: late!.id,
      payer: late!.payer,
      hold: late!.hold,
      outcome: {
        ...late!.outcome!,
        completionTokens: completionTokens + 100,
        cost: cost.plus(pricing!.completion.times(100)),
        estimated: false,
      },
    };
    expect(await settleBatch(table, [real], { swept: false })).toEqual(['corrected']);
    expect(await settleBatch(table, [real], { swept: false })).toEqual(['duplicate']);
    await expectBooksToAddUp(await readAll(table, second.accountId, ids));
  } finally {
    await second.stop();
  }
});
