/**
 * Questions about a state, each with a list of options, and the answers that their probabilities come to. A yes/no question
 * has the options yes and no, a score its criteria from the lowest to the highest.
 */

interface Option {
  /** What the client calls it; of a score, its place from 0 on. */
  key: string;
  /** What the model reads of it. */
  text: string;
}

export interface Question {
  type: 'choice' | 'noul' | 'score';
  instructions: string;
  /** Two or more. */
  options: Option[];
}

/** What an engine says of a question: how probable each option is, in their order. */
export interface Verdict {
  probabilities: number[];
  /** The model has said so itself; nothing was measured. */
  isStated: boolean;
}

interface Measured {
  /** The probabilities are what the model says of itself: nothing was measured. */
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

/** The answer to a question as the client reads it. The score is that of the probabilities before they are rounded. */
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

/** How far the most probable option is above chance: 0 where all are alike, 1 where it is certain. */
function confidenceOf(probabilities: readonly number[]): number {
  const chance = 1 / probabilities.length;
  return Math.max(0, (Math.max(...probabilities) - chance) / (1 - chance));
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

/** Keys are the client's: one of them may be `__proto__`. */
function fromEntries<Value>(entries: [string, Value][]): Record<string, Value> {
  return Object.fromEntries(entries);
}
