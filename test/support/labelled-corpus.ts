/**
 * Invented sentences, with labels on the parts that need protection: `⟦email ann@example.org⟧`. In the files, values
 * contain middle dots (·), so that secret scanners do not report them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SensitiveCategory } from '../../lambdas/store/accounts/sensitive-data.ts';

export interface LabelledSentence {
  file: string;
  text: string;
  /** Labelled parts, from left to right. */
  labels: { category: SensitiveCategory; start: number; end: number }[];
}

const directory = fileURLToPath(new URL('../protection/corpus', import.meta.url));

export function labelledCorpus(): LabelledSentence[] {
  return readdirSync(directory).flatMap((file) =>
    readFileSync(`${directory}/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ file, ...parsed(line.replaceAll('·', '')) })),
  );
}

function parsed(line: string): Omit<LabelledSentence, 'file'> {
  const labels: LabelledSentence['labels'] = [];
  let text = '';
  let from = 0;
  for (const { 0: marked, 1: category, 2: value, index } of line.matchAll(/⟦(\w+) ([^⟧]+)⟧/g)) {
    text += line.slice(from, index);
    labels.push({ category: category as SensitiveCategory, start: text.length, end: text.length + value!.length });
    text += value;
    from = index + marked.length;
  }
  return { text: text + line.slice(from), labels };
}
