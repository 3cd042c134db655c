/**
 * Questions about a state, each with a list of options, and the answers computed from the probabilities of the options.
 * A yes/no question (`noul`) has the options yes and no. A score question has its criteria as options, from the lowest
 * to the highest.
 */

interface Option {
  /** Client's name for the option. For a score question, it is the index of the criterion, from 0. */
  key: string;
  /** Text of the option as the model gets it. */
  text: string;
}

export interface Question {
  type: 'choice' | 'noul' | 'score';
  instructions: string;
  /** Options of the question; at least two. */
  options: Option[];
}

/** Result of a question: the probability of each option, in the order of the options. */
export interface Verdict {
  probabilities: number[];
  /**
   * True if the model has written the probabilities as text, or the provider has only named its choice. False if they
   * are computed from token probabilities, or reported by the provider.
   */
  isStated: boolean;
}

interface Measured {
  /** Present if `isStated` of the verdict is true. */
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

/** Returns the answer to a question in the format for clients. A score is computed from the unrounded probabilities. */
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

/**
 * Returns how far the most probable option is above chance: 0 if all options are equally probable, 1 if one option is
 * certain.
 */
function confidenceOf(probabilities: readonly number[]): number {
  const chance = 1 / probabilities.length;
  return Math.max(0, (Math.max(...probabilities) - chance) / (1 - chance));
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

/**
 * Builds an object from entries whose keys the client chose. Assigning to the key `__proto__` would set the object's
 * prototype instead of a member.
 */
function fromEntries<Value>(entries: [string, Value][]): Record<string, Value> {
  return Object.fromEntries(entries);
}
