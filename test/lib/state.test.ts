import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalState } from '../../lib/shared/data-directory/state.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-state-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('remembers the lives of a gateway on its directory until their holds are settled', () => {
  const lives = LocalState.at(directory);
  expect(lives.beginBoot('first')).toEqual([]);
  expect(lives.beginBoot('second')).toEqual(['first']);
  // The sweep after the second start failed; that after the third does not.
  expect(lives.beginBoot('third')).toEqual(['first', 'second']);
  lives.forgetBoots(['first', 'second']);
  expect(lives.beginBoot('fourth')).toEqual(['third']);
});
