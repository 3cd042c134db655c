/**
 * Answers decisions with the probabilities of a model's next token, over chat completions. Each option gets a letter, a
 * single token in known vocabularies. With more options than letters, the model decides in two rounds: within groups,
 * then among the best options of the groups. The endpoint's temperature corrects an overconfident model.
 */

import type { DecisionsLogprobsQuirks } from '../../catalog/decisions-quirks.ts';
import { inGroups, joinedGroups, labelProbabilities, tempered, type TopToken } from '../../decisions/distribution.ts';
import type { Question, Verdict } from '../../decisions/question.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireTarget } from '../wire.ts';
import { chatRequest, chatUsage, choiceIn, decisionPrompt } from './chat.ts';
import type { BatchRequest, Send } from '../batch-engine.ts';
import type { DecisionEngine } from './engine.ts';
import { labelQuestion, stateMessages, type ChatMessage } from './prompt.ts';
import { listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';

type LogprobsTarget = WireTarget<DecisionsLogprobsQuirks>;

/** Letters for the options of one request. Chat completions return the probabilities of at most 20 tokens. */
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRST');
/** Token limit of an answer. The letter is the first or second token, but some providers reject a limit of 1. */
const ANSWER_TOKENS = 16;

export const logprobsEngine: DecisionEngine<DecisionsLogprobsQuirks> = {
  *batchRequests({ state, questions }, target) {
    for (const question of questions) {
      const groups = inGroups(optionTexts(question), LETTERS.length);
      const longest = groups.map((group) => group.reduce((a, b) => (bytesOfJson(b) > bytesOfJson(a) ? b : a)));
      for (const texts of groups.length > 1 ? [...groups, longest] : groups) {
        yield logprobsRequest(state, question, texts, target);
      }
    }
  },
  async answer({ state, questions }, target, send) {
    return Promise.all(questions.map((question) => verdictOn(question, state, target, send)));
  },
  readUsage: chatUsage,
};

/** Returns the size of a text in the request, in bytes. In JSON, some characters take six bytes. */
const bytesOfJson = (text: string) => Buffer.byteLength(JSON.stringify(text));

async function verdictOn(question: Question, state: string, target: LogprobsTarget, send: Send): Promise<Verdict> {
  const probabilitiesOf = async (texts: readonly string[]) => {
    const body = await send(logprobsRequest(state, question, texts, target));
    const probabilities = labelProbabilities(topTokens(body), LETTERS.slice(0, texts.length));
    if (!probabilities) throw new UpstreamError('malformed', 'The provider chose none of the options');
    return tempered(probabilities, target.quirks.temperature ?? 1);
  };
  const groups = await Promise.all(
    inGroups(optionTexts(question), LETTERS.length).map(async (texts) => ({
      texts,
      within: await probabilitiesOf(texts),
    })),
  );
  const [only] = groups;
  if (groups.length === 1) return { probabilities: only!.within, isStated: false };
  const finals = await probabilitiesOf(groups.map(({ texts, within }) => texts[within.indexOf(Math.max(...within))]!));
  return {
    probabilities: joinedGroups(
      groups.map(({ within }) => within),
      finals,
    ),
    isStated: false,
  };
}

function optionTexts({ options }: Question): string[] {
  return options.map(({ text }) => text);
}

function logprobsRequest(
  state: string,
  question: Question,
  texts: readonly string[],
  target: LogprobsTarget,
): BatchRequest {
  const messages: ChatMessage[] = [...stateMessages(state), labelQuestion(question, texts, LETTERS)];
  const more = { logprobs: true, top_logprobs: LETTERS.length, temperature: 1 };
  const request = chatRequest(messages, target, ANSWER_TOKENS, more);
  return { request, outputTokens: ANSWER_TOKENS, estimatedPrompt: decisionPrompt(messages) };
}

/**
 * Returns the most probable first tokens. Some models write a blank token first, which is skipped.
 * @throws {UpstreamError} if the response has no such probabilities
 */
function topTokens(body: unknown): TopToken[] {
  const { content } = recordOrEmpty(choiceIn(body)['logprobs']);
  const positions = listOrEmpty(content).map(recordOrEmpty);
  const first = positions.find(({ token }) => typeof token === 'string' && token.trim() !== '');
  const tokens = listOrEmpty(first?.['top_logprobs']).filter(isTopToken);
  if (tokens.length === 0) throw new UpstreamError('malformed', 'The provider sent no probabilities for its tokens');
  return tokens;
}

/**
 * Maximum logarithm that counts as valid. The logarithm of a probability is at most 0; the margin allows for rounding.
 */
const MAX_LOGPROB = 0.001;

function isTopToken(value: unknown): value is TopToken {
  const { token, logprob } = recordOrEmpty(value);
  return typeof token === 'string' && typeof logprob === 'number' && logprob <= MAX_LOGPROB;
}
