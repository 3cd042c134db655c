import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'private-files-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (path: string) => Object.fromEntries(readdirSync(path).map((name) => [name, mode(join(path, name))]));

/** Returns the modes of the files while a gateway runs. */
async function modesWhileRunning(directory: string): Promise<Record<string, string>> {
  const gateway = await startGateway({ args: ['--data', directory] });
  try {
    return modesIn(directory);
  } finally {
    await gateway.stop();
  }
}

describe('the data directory of a laptop', () => {
  it('is accessible only to its owner from the first moment, with all of its files', async () => {
    const directory = join(parent, 'data');
    const modes = await modesWhileRunning(directory);
    expect(mode(directory)).toBe('700');
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(['dynamodb.sqlite', 'secrets.json', 'state.json', 'run.json']),
    );
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
  });

  it('becomes private if it was not', async () => {
    const directory = join(parent, 'data');
    await modesWhileRunning(directory);
    chmodSync(directory, 0o755);
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    mkdirSync(join(directory, 'books'), { mode: 0o755 });
    const { books, ...modes } = await modesWhileRunning(directory);
    expect([mode(directory), books]).toEqual(['700', '700']);
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
  });

  it('keeps its permissions if it has other files too', async () => {
    const directory = join(parent, 'shared');
    mkdirSync(directory, { mode: 0o755 });
    writeFileSync(join(directory, 'notes.txt'), 'ours', { mode: 0o644 });
    const { 'notes.txt': notes, ...modes } = await modesWhileRunning(directory);
    expect([mode(directory), notes]).toEqual(['755', '644']);
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
  });
});
