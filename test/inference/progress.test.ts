import { expect, it } from 'vitest';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import type { AnswerContext } from '../../lambdas/inference/messages/answer-context.ts';
import { passThrough } from '../../lambdas/inference/messages/answer-stage.ts';
import { Progress } from '../../lambdas/inference/messages/progress.ts';
import { withSearches, type Charged } from '../../lambdas/accounting/charge.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import type { Outcome } from '../../lambdas/store/generations/outcome.ts';
import { candidateAt } from '../support/candidate.ts';
import { rub } from '../support/spending.ts';

/** Returns the checkpoint of an answer that has no event yet, after `count` searches by the gateway. */
function checkpointAfter(count: number): Outcome | undefined {
  const candidate = candidateAt('http://127.0.0.1');
  const quote = {
    bound: { promptTokens: 100, outputTokens: 100 },
    hiddenReasoningTokens: 0,
    pricing: candidate.pricing,
  };
  const price = rub('0.99');
  let recorded: Outcome | undefined;
  const context = {
    attempts: [{ candidate, quote, leftOut: [] }],
    attemptLog: new AttemptLog(new ProviderTime()),
    estimatedInputTokens: 10,
    receivedAtMs: 0,
    stage: {
      ...passThrough,
      spent: () => price.times(count),
      withPurchases: (tokens: Charged) => withSearches(tokens, { count, price }),
    },
    extender: { withinHold: (cost: unknown) => cost },
    report: { checkpoint: (measure: () => Outcome) => (recorded = measure()) },
  } as Partial<Record<keyof AnswerContext, unknown>> as unknown as AnswerContext & { stage: typeof passThrough };
  new Progress(context).checkpoint();
  return recorded;
}

it('searches before the first event are in the checkpoints of an answer', () => {
  expect(checkpointAfter(2)).toMatchObject({ searchRequests: 2 });
  expect(checkpointAfter(0)).toBeUndefined();
});
