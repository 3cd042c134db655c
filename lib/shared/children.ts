/** Child processes, which are killed when this process exits, unless this process is killed itself. */

import type { ChildProcess } from 'node:child_process';

const children = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export function adoptChild<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export interface NeededChild {
  /** Resolves with a sentence if the process has ended although `stop` was not called. */
  lost: Promise<string>;
  stop: () => Promise<void>;
}

export interface ChildManners {
  /** Name with which the message about the process's end begins. */
  name: string;
  lastWords?: () => string;
  /** Requests that the process end; by default, sends SIGTERM. */
  end?: () => void;
  /** Whether another process may stop this process. If true, exit code 0 does not count as a loss. */
  endsForOthers?: boolean;
}

export function needChild(
  child: ChildProcess,
  { name, lastWords, end, endsForOthers = false }: ChildManners,
): NeededChild {
  let isStopping = false;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lost = new Promise<string>((resolve) => {
    // The last output may arrive after the event `exit`, but not after `close`.
    child.once('close', () => {
      const isOrderly = isStopping || (endsForOthers && child.exitCode === 0);
      if (!isOrderly) resolve(`${name} ended by itself (${endingOf(child)}).${lastOutputSentence(lastWords?.())}`);
    });
  });
  return {
    lost,
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (end) end();
      else child.kill('SIGTERM');
      await ended;
    },
  };
}

function endingOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
}

function lastOutputSentence(words = ''): string {
  const line = words.trim().split('\n').at(-1);
  return line ? ` The last line of its log: ${line}` : '';
}
