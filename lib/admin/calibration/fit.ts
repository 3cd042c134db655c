import { tempered } from '../../../lambdas/decisions/distribution.ts';

/** A model's probabilities for the options; `truth` is 1 for the true option, 0 for the others. */
export interface Sample {
  probabilities: readonly number[];
  truth: readonly number[];
}

const LEAST = 0.1;
const MOST = 10;
const STEPS = 60;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Lower bound of a probability. Without this bound, one wrong answer could outweigh all other answers. */
const MIN_PROBABILITY = 1e-9;

/** Returns the mean negative log-probability of the true option at this temperature, in nats. */
export function surprise(samples: readonly Sample[], temperature: number): number {
  const of = ({ probabilities, truth }: Sample) =>
    tempered(probabilities, temperature).reduce(
      (sum, probability, index) => sum - truth[index]! * Math.log(Math.max(MIN_PROBABILITY, probability)),
      0,
    );
  return samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
}

/** Returns the temperature with the lowest mean surprise, from 0.1 to 10. The search assumes a single minimum. */
export function fitTemperature(samples: readonly Sample[]): number {
  // Golden-section search on a logarithmic scale.
  let [low, high] = [Math.log(LEAST), Math.log(MOST)];
  for (let step = 0; step < STEPS; step += 1) {
    const [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    if (surprise(samples, Math.exp(left)) < surprise(samples, Math.exp(right))) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
}
