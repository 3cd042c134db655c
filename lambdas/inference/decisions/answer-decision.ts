import type { Charged } from '../../accounting/charge.ts';
import { answerOf } from '../../decisions/question.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import type { Task } from '../../decisions/task.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { DecisionCandidate } from '../../routing/decision-candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { answerAsked, askedTerms } from '../asked/answer-asked.ts';
import { prepareOffers, type AskedOffer } from '../asked/offers.ts';
import type { Asking } from '../asked/rounds.ts';
import type { InferenceInput } from '../inference-input.ts';
import { protectionOf } from '../protection-of.ts';
import { refuseEarly } from '../refuse-early.ts';
import { routeDecision } from './routed-decision.ts';

const MAX_DECISIONS_AT_ONCE = 16;

export type DecisionInput = InferenceInput<DecisionsRequest>;

/** All questions answered, by the candidate that did. */
export interface AnsweredDecision {
  candidate: DecisionCandidate;
  /** By the name of the question. */
  answers: Record<string, ReturnType<typeof answerOf>>;
  charged: Charged;
}

/**
 * Answers all questions of a request, or none: candidates, hold, requests to a provider, settlement.
 * @throws {GatewayError} when the request goes nowhere, is not admitted, or nobody decides
 */
export async function answerDecision(input: DecisionInput): Promise<AnsweredDecision> {
  const { body, caller } = input;
  const protection = protectionOf(input, () => refuseEarly(input, decisionNeeds));
  const { task, own, candidates } = await routeDecision(body, { caller, protection });
  const { candidate, answer, charged } = await answerAsked(input, {
    apiType: 'decisions',
    offers: decisionOffers(candidates, task),
    ...decidingOf(task),
    outOfTime: 'The questions took longer than the gateway may run. Ask fewer at once.',
  });
  const answers = Object.keys(body.questions).map((name, at) => [name, answerOf(own.questions[at]!, answer[at]!)]);
  return { candidate, answers: Object.fromEntries(answers) as AnsweredDecision['answers'], charged };
}

async function decisionNeeds(input: DecisionInput) {
  const { body, caller } = input;
  const { task, candidates } = await routeDecision(body, { caller, protection: protectionOf(input) });
  return { candidates, terms: askedTerms('decisions', decisionOffers(candidates, task)) };
}

/** What a task may come to at each candidate. @throws {GatewayError} 400 where no candidate can be asked so much */
export function decisionOffers(
  candidates: readonly DecisionCandidate[],
  task: Task,
  leaveOut?: LeaveOut,
): AskedOffer<DecisionCandidate>[] {
  return prepareOffers(
    candidates,
    {
      asksOf: ({ engine, target }) => engine.maxAsks(task, target),
      tooLarge: (maxMebibytes) =>
        invalidRequest(
          'state',
          `is repeated in requests to this model that come to more than ${maxMebibytes} MiB; shorten it, or send fewer questions`,
        ),
      tooMany: (asks, maxAsks) =>
        invalidRequest(
          'questions',
          `take ${asks} requests to this model, of which one request may take ${maxAsks}; send fewer questions, or questions with fewer options`,
        ),
    },
    leaveOut,
  );
}

/** How a task is decided. */
export function decidingOf(
  task: Task,
): Asking<DecisionCandidate, Awaited<ReturnType<DecisionCandidate['engine']['decide']>>> {
  return {
    answerOf: ({ engine, target }, send) => engine.decide(task, target, send),
    maxAtOnce: MAX_DECISIONS_AT_ONCE,
  };
}
