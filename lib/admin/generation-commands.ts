import { Option, type Command } from 'commander';
import { utcDate } from '../../lambdas/money/periods.ts';
import { nowMs } from '../../lambdas/platform/clock.ts';
import type { Generation } from '../../lambdas/store/generation.ts';
import { latestGenerations } from '../../lambdas/store/generation-queries.ts';
import { parseCount, parseDate } from './arguments.ts';
import { namedKey } from './named-key.ts';
import { onAccount, type Session } from './session.ts';

const USUAL_COUNT = 30;

export function addGenerationCommands(program: Command): void {
  program
    .command('generations')
    .description('single requests: what they came to, and how they ended')
    .command('list')
    .description('list the requests of a UTC day, newest first; times are UTC')
    .option('--date <UTC day>', 'default: today', parseDate)
    .option('--key <name, label or hash>', 'only of this key')
    .addOption(new Option('--status <status>', 'only those that ended so').choices(statuses))
    .option('--limit <n>', 'at most so many', parseCount, USUAL_COUNT)
    .action(onAccount(list, { shown: shownGeneration }));
}

/** How a request ended; "pending" until it is settled. */
const statuses = ['pending', 'complete', 'out_of_money', 'refused_before', 'broke_off', 'client_left', 'out_of_time'];

interface ListOptions {
  date?: string;
  key?: string;
  status?: string;
  limit: number;
}

async function list(session: Session, { date = utcDate(nowMs()), key: named, status, limit }: ListOptions) {
  const { table, accountId } = session;
  const key = named === undefined ? undefined : await namedKey(session, named);
  const rows: ReturnType<typeof generationRow>[] = [];
  for await (const generation of latestGenerations(table, accountId, date)) {
    const row = generationRow(generation);
    if (key !== undefined && row.key_hash !== key.hash) continue;
    if (status !== undefined && row.status !== status) continue;
    rows.push(row);
    if (rows.length === limit) break;
  }
  return rows;
}

function generationRow({ id, createdAtMs, state, outcome, payer, model, endpointId, providerName }: Generation) {
  return {
    created_at: new Date(createdAtMs).toISOString(),
    model: outcome?.model ?? model,
    provider: outcome?.providerName ?? providerName,
    endpoint_id: outcome?.endpointId ?? endpointId,
    // Records of earlier versions do not say how they ended, only whether they were cut short.
    status: state === 'pending' ? state : (outcome!.ending ?? (outcome!.cancelled ? 'client_left' : 'complete')),
    cost_rub: outcome?.cost.toString() ?? null,
    tokens_prompt: outcome?.promptTokens ?? null,
    tokens_completion: outcome?.completionTokens ?? null,
    finish_reason: outcome?.finishReason ?? null,
    provider_status: outcome?.providerStatus ?? null,
    latency_ms: outcome?.latencyMs ?? null,
    key_hash: payer.keyHash,
    workspace_id: payer.workspaceId,
    member_id: payer.memberId ?? null,
    id,
  };
}

function shownGeneration(row: ReturnType<typeof generationRow>) {
  const { created_at, model, status, cost_rub, tokens_prompt, tokens_completion, id } = row;
  const time = created_at.slice('2026-11-20T'.length, '2026-11-20T12:00:00'.length);
  return { time, model, status, cost_rub, in: tokens_prompt, out: tokens_completion, id };
}
