/** A token and its log probability, in the form of chat completions. */
export interface TopToken {
  token: string;
  logprob: number;
}

/**
 * Returns the probability of each label, given that the model writes one of the labels. Ignores surrounding blanks, and
 * upper or lower case if only one label then matches. Labels that are not in `top` share the remaining probability
 * equally, but each gets at most the probability of the least probable token in `top`.
 * @returns undefined if `top` contains none of the labels, or only labels whose computed probability is zero
 */
export function labelProbabilities(top: readonly TopToken[], labels: readonly string[]): number[] | undefined {
  const masses = labels.map(() => 0);
  const seen = new Set<number>();
  let listed = 0;
  let least = 1;
  for (const { token, logprob } of top) {
    const mass = Math.exp(logprob);
    listed += mass;
    least = Math.min(least, mass);
    const label = labelOf(token, labels);
    if (label === -1) continue;
    masses[label]! += mass;
    seen.add(label);
  }
  // The probability of a label in `top` may be so small that it is computed as zero.
  if (masses.every((mass) => mass === 0)) return undefined;
  const missing = labels.length - seen.size;
  const share = missing === 0 ? 0 : Math.min(least, Math.max(0, 1 - listed) / missing);
  return normalised(masses.map((mass, index) => (seen.has(index) ? mass : share)));
}

function labelOf(token: string, labels: readonly string[]): number {
  const written = token.replaceAll('▁', ' ').replaceAll('Ġ', ' ').trim();
  const exact = labels.indexOf(written);
  if (exact !== -1 || written === '') return exact;
  const folded = labels.flatMap((label, index) => (label.toLowerCase() === written.toLowerCase() ? [index] : []));
  return folded.length === 1 ? folded[0]! : -1;
}

/** Returns the probabilities at another temperature. A temperature above 1 corrects an overconfident model. */
export function tempered(probabilities: readonly number[], temperature: number): number[] {
  if (temperature === 1) return [...probabilities];
  return normalised(probabilities.map((probability) => probability ** (1 / temperature)));
}

/**
 * Returns the probabilities of all options of a question that was decided in groups. Luce's rule: the ratio of the
 * probabilities of two options does not depend on the other options.
 * @param finals probability of each group's most probable option among those of all groups
 */
export function joinedGroups(groups: readonly (readonly number[])[], finals: readonly number[]): number[] {
  return normalised(
    groups.flatMap((group, index) => {
      const best = Math.max(...group);
      return group.map((probability) => (finals[index]! * probability) / best);
    }),
  );
}

/** Splits options into groups of at most `most` options. The last group may be smaller than the others. */
export function inGroups<Value>(values: readonly Value[], most: number): Value[][] {
  const count = Math.ceil(values.length / most);
  const size = Math.ceil(values.length / count);
  return Array.from({ length: count }, (_, index) => values.slice(index * size, (index + 1) * size)).filter(
    (group) => group.length > 0,
  );
}

/** Scales numbers so that their sum is 1. If all numbers are 0, the results are equal. */
export function normalised(masses: readonly number[]): number[] {
  const sum = masses.reduce((total, mass) => total + mass, 0);
  return masses.map((mass) => (sum > 0 ? mass / sum : 1 / masses.length));
}
