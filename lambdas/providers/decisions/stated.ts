/**
 * Answers decisions with the model's own estimate, over chat completions, for models that do not return token
 * probabilities. The numbers are not measured, so verdicts are marked with `isStated`.
 */

import type { DecisionsChatQuirks } from '../../catalog/decisions-quirks.ts';
import { normalised } from '../../decisions/distribution.ts';
import type { Question, Verdict } from '../../decisions/question.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireTarget } from '../wire.ts';
import { chatRequest, chatUsage, choiceIn, decisionPrompt } from './chat.ts';
import type { BatchRequest } from '../batch-engine.ts';
import type { DecisionEngine } from './engine.ts';
import { stateMessages, type ChatMessage } from './prompt.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

type StatedTarget = WireTarget<DecisionsChatQuirks>;

/** Maximum tokens per option, such as for `"p123": 0.0625, `. The rest of the document gets `OTHER_TOKENS`. */
const STATED_TOKENS_PER_OPTION = 16;
const OTHER_TOKENS = 64;

export const statedEngine: DecisionEngine<DecisionsChatQuirks> = {
  *batchRequests({ state, questions }, target) {
    for (const question of questions) yield statementRequest(state, question, target);
  },
  answer: ({ state, questions }, target, send) =>
    Promise.all(
      questions.map(async (question) =>
        statedVerdict(await send(statementRequest(state, question, target)), question.options.length),
      ),
    ),
  readUsage: chatUsage,
};

/** Returns a numbered field name for an option, because an option's text might not be a valid field name. */
function statedField(index: number): string {
  return `p${index}`;
}

function statementRequest(state: string, { instructions, options }: Question, target: StatedTarget): BatchRequest {
  const list = options.map(({ text }, index) => `${statedField(index)}: ${text}`).join('\n');
  const question: ChatMessage = {
    role: 'user',
    content: `${instructions}\n\nOptions:\n${list}\n\nSay how probable each option is: a JSON object with a number from 0 to 1 for each name, which add up to 1.`,
  };
  const names = options.map((_, index) => statedField(index));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])),
    required: names,
    additionalProperties: false,
  };
  const format = { type: 'json_schema', json_schema: { name: 'probabilities', strict: true, schema } };
  const outputTokens = OTHER_TOKENS + STATED_TOKENS_PER_OPTION * options.length;
  const messages = [...stateMessages(state), question];
  const request = chatRequest(messages, target, outputTokens, { response_format: format });
  return { request, outputTokens, estimatedPrompt: decisionPrompt(messages, schema) };
}

function statedVerdict(body: unknown, count: number): Verdict {
  const { content } = recordOrEmpty(choiceIn(body)['message']);
  let stated: Record<string, unknown>;
  try {
    stated = recordOrEmpty(JSON.parse(typeof content === 'string' ? content : ''));
  } catch {
    throw new UpstreamError('malformed', 'The provider did not answer with the requested document');
  }
  const masses = Array.from({ length: count }, (_, index) => stated[statedField(index)]);
  if (
    !masses.every((mass) => typeof mass === 'number' && mass >= 0 && mass <= 1) ||
    masses.every((mass) => mass === 0)
  ) {
    throw new UpstreamError('malformed', 'The provider sent values that are not probabilities');
  }
  return { probabilities: normalised(masses as number[]), isStated: true };
}
