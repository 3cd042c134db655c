/**
 * Settings of the rules of DynamoDB for the emulators of a test run: `TEST_TABLE_RULES=on`, or the shares of calls with
 * each fault, `TEST_TABLE_RULES=conflicts=0.05,throttles=0.05,lostReplies=0.02,lostRequests=0.02,seed=7`.
 * `transactionMs` is the duration of transactions.
 */

import type { RulesOptions } from './table-rules.ts';

export const RULES_VARIABLE = 'TEST_TABLE_RULES';

const shareNames = ['conflicts', 'throttles', 'lostReplies', 'lostRequests'] as const;

/**
 * Reads the settings. Returns undefined if they require no rules.
 * @throws {Error} for unknown words
 */
export function rulesFrom(words: string | undefined): RulesOptions | undefined {
  if (!words) return undefined;
  if (words === 'on') return {};
  const numbers = new Map(
    words.split(',').map((part) => {
      const [, name, value] = /^(\w+)=([\d.]+)$/.exec(part) ?? [];
      if (name === undefined) throw new Error(`${RULES_VARIABLE} does not know "${part}"`);
      return [name, Number(value)] as const;
    }),
  );
  const faults = Object.fromEntries(
    shareNames.flatMap((name) => (numbers.has(name) ? [[name, numbers.get(name)!]] : [])),
  );
  const options = { faults, seed: numbers.get('seed') ?? 1, transactionMs: numbers.get('transactionMs') ?? 8 };
  const known = new Set<string>([...shareNames, 'seed', 'transactionMs']);
  const unknown = [...numbers.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`${RULES_VARIABLE} does not know "${unknown}"`);
  return options;
}
