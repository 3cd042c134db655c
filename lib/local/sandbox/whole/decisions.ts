/**
 * Decisions of the sandbox, by three methods: probabilities of the next token in chat completions, a document that
 * states probabilities, and one request for all questions. The probability of an option depends on the weight in its
 * text, such as `(weight 3)`. Without a weight, it depends on the number of words that occur in both the option and the
 * state. Log-probabilities are overconfident, as in real models.
 */

import { readDirectives } from '../directives.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

interface ChatRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string }[];
  logprobs?: boolean;
  top_logprobs?: number;
  response_format?: { json_schema?: { schema?: { properties?: Record<string, unknown> } } };
}

interface DecisionsRequest {
  model: string;
  state: string;
  questions: Record<string, { type: string; criteria: string[] | Record<string, string> }>;
}

/** Exponent of the true odds; above 1, the model is overconfident. */
const SURENESS = 2;
const WEIGHT = /\(weight (\d+(?:\.\d+)?)\)/;

export const wholeAnswers = {
  '/openai/v1/decisions': decideAtOnce,
  // This entry handles only requests without streaming.
  '/openai/v1/chat/completions': (request: ChatRequest) =>
    request.stream === false ? decideInChat(request) : undefined,
};

function decideInChat(request: ChatRequest): SandboxAnswer {
  const [, state, question] = request.messages.map(({ content }) => content) as [string, string, string];
  const directives = readDirectives(state);
  const { error, usage, tokens, cachedTokens } = directives;
  if (error !== undefined) return requestedFailure(error);
  const options = optionsIn(question);
  const probabilities = probabilitiesOf(
    options.map(({ text }) => text),
    state,
  );
  const content = request.logprobs
    ? options[probabilities.indexOf(Math.max(...probabilities))]!.label
    : JSON.stringify(Object.fromEntries(options.map(({ label }, index) => [label, probabilities[index]])));
  const characters = request.messages.reduce((sum, message) => sum + message.content.length, 0);
  return {
    status: 200,
    delivery: directives,
    body: {
      id: 'chatcmpl-sandbox',
      object: 'chat.completion',
      model: request.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content },
          ...(request.logprobs
            ? { logprobs: { content: [position(options, probabilities, tokens ?? request.top_logprobs ?? 0)] } }
            : {}),
          finish_reason: 'stop',
        },
      ],
      ...(usage === 'none'
        ? {}
        : {
            usage: {
              ...decisionUsage(
                'prompt_tokens',
                'completion_tokens',
                Math.ceil(characters / 4),
                request.logprobs ? 1 : options.length * 5,
              ),
              prompt_tokens_details: { cached_tokens: cachedTokens },
            },
          }),
    },
  };
}

function decideAtOnce({ model, state, questions }: DecisionsRequest): SandboxAnswer {
  const directives = readDirectives(state);
  const { error, usage } = directives;
  if (error !== undefined) return requestedFailure(error);
  const answers = Object.entries(questions).map(([name, { type, criteria }]) => {
    const probabilities = probabilitiesOf(Object.values(criteria), state);
    const byOption = Object.fromEntries(Object.keys(criteria).map((key, index) => [key, probabilities[index]]));
    switch (type) {
      case 'noul':
        return [name, { type, noul: probabilities[0] }];
      case 'score':
        return [
          name,
          { type, score: probabilities.reduce((sum, p, index) => sum + index * p, 0), probabilities: byOption },
        ];
      default: {
        const best = probabilities.indexOf(Math.max(...probabilities));
        return [name, { type, choice: Object.keys(criteria)[best], probabilities: byOption }];
      }
    }
  });
  const characters = JSON.stringify({ state, questions }).length;
  return {
    status: 200,
    delivery: directives,
    body: {
      id: 'gen-dec-sandbox',
      model,
      answers: Object.fromEntries(answers) as object,
      ...(usage === 'none'
        ? {}
        : { usage: decisionUsage('input_tokens', 'output_tokens', Math.ceil(characters / 4), answers.length) }),
    },
  };
}

/** Returns the options of a question: lines `A. text` or `p0: text`. */
function optionsIn(question: string): { label: string; text: string }[] {
  const [, list = ''] = question.split('\n\nOptions:\n');
  const [options = ''] = list.split(/\n\n(?:Answer|Say) /);
  return Array.from(
    options.matchAll(/^(?:([A-T])\.|(p\d+):) (.*(?:\n(?!(?:[A-T]\.|p\d+:) ).*)*)/gm),
    ([, letter, name, text]) => ({
      label: letter ?? name!,
      text: text!,
    }),
  );
}

function probabilitiesOf(texts: readonly string[], state: string): number[] {
  const weights = texts.map((text) => Number(WEIGHT.exec(text)?.[1] ?? 1 + 3 * sharedWords(text, state)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum > 0 ? weight / sum : 1 / weights.length));
}

function sharedWords(text: string, state: string): number {
  const known = wordSet(state);
  return [...wordSet(text)].filter((word) => known.has(word)).length;
}

/** Returns the first five characters of each word with at least four characters, so that endings do not matter. */
function wordSet(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.slice(0, 5)));
}

/** Returns the most probable tokens of an answer: labels, and a word that is not a label if there is room for it. */
function position(options: readonly { label: string }[], probabilities: readonly number[], most: number): object {
  const NO_LABEL = 0.01;
  const powers = probabilities.map((probability) => probability ** SURENESS);
  const sum = powers.reduce((total, power) => total + power, 0);
  const tokens = options.flatMap(({ label }, index) => {
    const mass = ((1 - NO_LABEL) * powers[index]!) / sum;
    // If the list is too short for two forms of each label, it contains only one form.
    if (2 * options.length + 1 > most) return [{ token: label, mass }];
    return [
      { token: label, mass: mass * 0.75 },
      { token: ` ${label}`, mass: mass * 0.25 },
    ];
  });
  const top = [...tokens, { token: 'The', mass: NO_LABEL }]
    .filter(({ mass }) => mass > 0)
    .toSorted((a, b) => b.mass - a.mass)
    .slice(0, most)
    .map(({ token, mass }) => ({ token, logprob: Math.log(mass), bytes: [...Buffer.from(token)] }));
  return { ...top[0], top_logprobs: top };
}

function decisionUsage(input: string, output: string, inputTokens: number, outputTokens: number): object {
  return { [input]: inputTokens, [output]: outputTokens, total_tokens: inputTokens + outputTokens };
}
