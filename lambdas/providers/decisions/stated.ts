/**
 * Decides by the model's own statement, over chat completions: the model states the probability of each option in a
 * JSON document. This is for models that do not return token probabilities. The numbers are marked as stated, because
 * nobody has measured them.
 */

import type { DecisionsChatQuirks } from '../../catalog/quirk-schemas.ts';
import { normalised } from '../../decisions/distribution.ts';
import type { Question, Verdict } from '../../decisions/question.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireTarget } from '../wire.ts';
import { chatRequest, chatUsage, choiceIn } from './chat.ts';
import type { Ask } from '../asks.ts';
import type { DecisionEngine } from './engine.ts';
import { stateMessages, type ChatMessage } from './prompt.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

type StatedTarget = WireTarget<DecisionsChatQuirks>;

/** `"p123": 0.0625, ` has fewer tokens, and the text around the list has fewer than OTHER_TOKENS. */
const STATED_TOKENS_PER_OPTION = 16;
const OTHER_TOKENS = 64;

export const statedEngine: DecisionEngine<DecisionsChatQuirks> = {
  *maxAsks({ state, questions }, target) {
    for (const question of questions) yield askForStatement(state, question, target);
  },
  answer: ({ state, questions }, target, send) =>
    Promise.all(
      questions.map(async (question) =>
        statedVerdict(await send(askForStatement(state, question, target)), question.options.length),
      ),
    ),
  readUsage: chatUsage,
};

/** Options are numbered, because the fields of a schema cannot have arbitrary names. */
function statedField(index: number): string {
  return `p${index}`;
}

function askForStatement(state: string, { instructions, options }: Question, target: StatedTarget): Ask {
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
  const request = chatRequest([...stateMessages(state), question], target, outputTokens, { response_format: format });
  return { request, outputTokens };
}

function statedVerdict(body: unknown, count: number): Verdict {
  const { content } = recordOrEmpty(choiceIn(body)['message']);
  let stated: Record<string, unknown>;
  try {
    stated = recordOrEmpty(JSON.parse(typeof content === 'string' ? content : ''));
  } catch {
    throw new UpstreamError('malformed', 'The provider did not answer with the document that it was asked for');
  }
  const masses = Array.from({ length: count }, (_, index) => stated[statedField(index)]);
  if (
    !masses.every((mass) => typeof mass === 'number' && mass >= 0 && mass <= 1) ||
    masses.every((mass) => mass === 0)
  ) {
    throw new UpstreamError('malformed', 'The provider stated what are no probabilities');
  }
  return { probabilities: normalised(masses as number[]), isStated: true };
}
