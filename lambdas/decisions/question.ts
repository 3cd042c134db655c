/**
 * Questions with options, and the answers computed from the probabilities of the options. A yes/no question is a
 * `noul`. A score question has its criteria as options, from the lowest to the highest.
 */

interface Option {
  /** Client's name for the option or, for a score question, the index of the criterion from 0. */
  key: string;
  /** Text of the option as the model gets it. */
  text: string;
}

export interface Question {
  type: 'choice' | 'noul' | 'score';
  instructions: string;
  /** Options, at least two. */
  options: Option[];
}

/** Probability of each option, in the order of the options. */
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

/** Returns the answer to a question. A score is computed from the unrounded probabilities. */
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

/** Returns the confidence: 0 if all options are equally probable, 1 if one option is certain. */
function confidenceOf(probabilities: readonly number[]): number {
  const chance = 1 / probabilities.length;
  return Math.max(0, (Math.max(...probabilities) - chance) / (1 - chance));
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

/**
 * Builds an object from entries. Nothing is assigned, because an assignment to the key `__proto__` would set the
 * prototype.
 */
function fromEntries<Value>(entries: [string, Value][]): Record<string, Value> {
  return Object.fromEntries(entries);
}
