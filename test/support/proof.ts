import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documentsOf } from './documents.ts';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { generationFrom } from '../../lambdas/store/generation.ts';
import type { RoundUsage } from '../../lambdas/store/outcome.ts';
import type { Item, Table } from '../../lambdas/store/table.ts';

/** A record whose price does not follow from its own fields. */
export interface Unproven {
  id: string;
  total: string;
  expected: string;
}

/**
 * Recomputes every final record of a table: tokens and seconds times prices, as a reviewer would with an export. Usage that a
 * provider reported beyond the bound is charged at the hold, and marked.
 */
export async function unprovenRecords(table: Table): Promise<Unproven[]> {
  const unproven: Unproven[] = [];
  for await (const item of finalGenerations(table)) {
    const { id, outcome, hold } = generationFrom(item);
    const expected = expectedCost(item);
    const isHeld = hold.scopes.length > 0;
    const charged = outcome!.capped && isHeld ? Money.min(expected, hold.amount) : expected;
    const isProven = outcome!.cost.equals(charged) && !(isHeld && outcome!.cost.exceeds(hold.amount));
    if (!isProven) unproven.push({ id, total: outcome!.cost.toString(), expected: charged.toString() });
  }
  return unproven;
}

function expectedCost(item: Item): Money {
  const { pricing, rounds, searchRequests, videoSeconds, ...outcome } = generationFrom(item).outcome!;
  const asked = rounds.length > 0 ? rounds : [outcome];
  const tokens = asked.map((round) => costOfRound(round, pricing!));
  return Money.sum([
    ...tokens,
    (pricing!.web_search ?? Money.zero).times(searchRequests ?? 0),
    (pricing!.video_second ?? Money.zero).times(videoSeconds ?? 0),
  ]);
}

function costOfRound(round: RoundUsage, pricing: Pricing): Money {
  const { promptTokens, completionTokens } = round;
  // What was charged for nothing has no tokens.
  if (promptTokens === 0 && completionTokens === 0) return Money.zero;
  const cached = round.cachedTokens ?? 0;
  const written = (round.cacheWrite5mTokens ?? 0) + (round.cacheWrite1hTokens ?? 0);
  return priceUsage(
    {
      inputTokens: promptTokens - cached - written,
      outputTokens: completionTokens,
      cacheReadTokens: cached,
      cacheWrite5mTokens: round.cacheWrite5mTokens ?? 0,
      cacheWrite1hTokens: round.cacheWrite1hTokens ?? 0,
      reasoningTokens: round.reasoningTokens ?? 0,
      pricedImages: round.pricedImages ?? 0,
    },
    pricing,
  ).total;
}

async function* finalGenerations(table: Table): AsyncGenerator<Item> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documentsOf(table).send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: 'entity = :generation AND #state = :final',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':generation': 'generation', ':final': 'final' },
        ExclusiveStartKey: from,
      }),
    );
    yield* page.Items ?? [];
    from = page.LastEvaluatedKey;
  } while (from);
}
