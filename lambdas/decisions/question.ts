/**
 * Questions about a state, each with a list of options, and the answers computed from their probabilities. A yes/no
 * question has the options yes and no. A score has its criteria from the lowest to the highest.
 */

interface Option {
  /** The client's name for it. For a score, its index from 0. */
  key: string;
  /** The text for the model. */
  text: string;
}

export interface Question {
  type: 'choice' | 'noul' | 'score';
  instructions: string;
  /** At least two. */
  options: Option[];
}

/** An engine's result for a question: the probability of each option, in their order. */
export interface Verdict {
  probabilities: number[];
  /** The model stated the probabilities itself; nothing was measured. */
  isStated: boolean;
}

interface Measured {
  /** The model stated the probabilities itself; nothing was measured. */
  stated_by_model?: true;
}

export type DecisionAnswer =
  | (Measured & { type: 'noul'; noul: number })
  | (Measured & { type: 'choice'; choice: string; probabilities: Record<string, number>; confidence: number })
  | (Measured & {
      type: 'score';
      score: number;
      legend: Record<string, string>;
      probabilities: Record<string, number>;
      confidence: number;
    });

const DECIMALS = 4;

/** The answer to a question, in the client's form. The score comes from the probabilities before rounding. */
export function answerOf({ type, options }: Question, { probabilities, isStated }: Verdict): DecisionAnswer {
  const basis = isStated ? { stated_by_model: true as const } : {};
  if (type === 'noul') return { type, noul: rounded(probabilities[0]!), ...basis };
  const byKey = fromEntries(options.map(({ key }, index) => [key, rounded(probabilities[index]!)]));
  const confidence = rounded(confidenceOf(probabilities));
  if (type === 'choice') {
    const best = probabilities.indexOf(Math.max(...probabilities));
    return { type, choice: options[best]!.key, probabilities: byKey, confidence, ...basis };
  }
  const score = probabilities.reduce((sum, probability, index) => sum + index * probability, 0);
  const legend = fromEntries(options.map(({ key, text }) => [key, text]));
  return { type, score: rounded(score), legend, probabilities: byKey, confidence, ...basis };
}

/** Distance of the most probable option from chance: 0 if all are equal, 1 if it is certain. */
function confidenceOf(probabilities: readonly number[]): number {
  const chance = 1 / probabilities.length;
  return Math.max(0, (Math.max(...probabilities) - chance) / (1 - chance));
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

/** The client chooses the keys, so a key may be `__proto__`. */
function fromEntries<Value>(entries: [string, Value][]): Record<string, Value> {
  return Object.fromEntries(entries);
}
