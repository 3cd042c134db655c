/** Files that an agent must read one after the other, together longer than a context of 60,000 tokens. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Desk } from './agent.ts';
import type { Turn } from './strict-provider.ts';

const LINES = 600;
const RECORDS = 6;
export const READ_THEM = 'Read the six records and say what they say.';
export const DONE = 'All records are read. DONE';

const pathOf = ({ work }: Desk, record: number) => join(work, `record${record}.txt`);
const lineOf = (record: number, line: number) =>
  `record ${record} line ${line}: the harvest of the year was good enough for the winter`;

export function writeRecords(desk: Desk): void {
  for (let record = 1; record <= RECORDS; record++) {
    const lines = Array.from({ length: LINES }, (_, line) => lineOf(record, line));
    writeFileSync(pathOf(desk, record), lines.join('\n'));
  }
}

/** Returns a model's turns, which read each record once, whatever the agent has removed from the conversation. */
export function reader(desk: Desk, call: (path: string) => { name: string; input: object }): () => Turn {
  let read = 0;
  return () => {
    if (read === RECORDS) return { thinking: 'Enough.', text: DONE };
    read += 1;
    return { thinking: 'On.', text: `Record ${read}.`, calls: [call(pathOf(desk, read))] };
  };
}
