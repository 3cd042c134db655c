import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { earlierProcessesEnded } from '../../lib/local/boot-processes.ts';
import { claimDirectory, DirectoryInUse, isClaimed } from '../../lib/shared/data-directory/directory-claim.ts';
import { LocalState, type RunFile } from '../../lib/shared/data-directory/state.ts';

let directory: string;
let children: ChildProcess[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-claim-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) await kill(child);
  rmSync(directory, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts a process that claims the directory, or belongs to a gateway on it, until the process ends. */
async function holder(what: 'claim' | 'belong'): Promise<ChildProcess> {
  const program = new URL('../support/lock-holder.ts', import.meta.url);
  const child = fork(program, [what, directory]);
  children.push(child);
  await once(child, 'message');
  return child;
}

const claim = (waitMs = 0) => claimDirectory(directory, { waitMs });

describe('a data directory', () => {
  it('is claimed by one process at a time', async () => {
    const release = await claim();
    await expect(claim()).rejects.toThrow(DirectoryInUse);
    expect(isClaimed(directory)).toBe(true);

    release();

    expect(isClaimed(directory)).toBe(false);
    (await claim())();
  });

  it('stays claimed until its process ends in any way', async () => {
    const child = await holder('claim');
    await expect(claim()).rejects.toThrow(
      `Another process works on ${directory}. Wait until it has ended, then try again.`,
    );

    const waiting = claim(60_000);
    await kill(child);

    (await waiting)();
  });

  it('has no running gateway if only a command uses it, also after a gateway was killed', async () => {
    // The parent process stands for an unrelated process with the id of the ended gateway.
    LocalState.at(directory).saveRun({ pid: process.ppid } as RunFile);
    expect(LocalState.at(directory).running()).toBeUndefined();

    const state = await LocalState.open(directory, false);
    const command = LocalState.at(directory);

    expect(command.running()).toBeUndefined();
    state.close();
  });

  it('is refused at once to a second gateway when the first is ready', async () => {
    const state = await LocalState.open(directory, false);
    const second = LocalState.open(directory, false);
    state.saveRun({ pid: process.pid } as RunFile);

    await expect(second).rejects.toThrow(`Another gateway (process ${process.pid}) runs on ${directory}.`);
    state.close();
    (await LocalState.open(directory, false)).close();
  });
});

describe('processes of an earlier boot', () => {
  it('count as running while one of them runs, even if it is suspended', async () => {
    const [first, second] = [await holder('belong'), await holder('belong')];
    first.kill('SIGSTOP');
    await kill(second);

    expect(await earlierProcessesEnded(directory, 100)).toBe(false);

    await kill(first);
    expect(await earlierProcessesEnded(directory, 60_000)).toBe(true);
  });

  it('end with the process that has started them', async () => {
    const child = await holder('belong');

    child.disconnect();

    expect(await earlierProcessesEnded(directory, 60_000)).toBe(true);
  });
});
