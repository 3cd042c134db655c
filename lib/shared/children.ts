/**
 * Processes that must not outlive this process. When the gateway stops, it stops these processes in order. If the
 * gateway ends in another way that it can notice (a second Ctrl-C, an error), these processes are killed.
 *
 * Some of these processes are "needed": without its database, queues and server, the gateway cannot work. If a needed
 * process ends by itself, the code that started it is notified. Other processes are restarted by the code that uses
 * them: the workers (workers-process.ts), and the processes of functions (sandboxed/).
 */

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

/** Process without which the gateway cannot work. */
export interface NeededChild {
  /** Resolves with a sentence if the process has ended although `stop` was not called. */
  lost: Promise<string>;
  /** Ends the process if it runs, and waits for its end. */
  stop: () => Promise<void>;
}

/** Name of a needed process for messages, and the way to end it. */
export interface ChildManners {
  /** Name of the process, with which the message about its end begins. */
  name: string;
  /** Returns the last output of the process, for the message about its end. */
  lastWords?: () => string;
  /** Requests that the process end. By default, SIGTERM is sent. */
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
    // Waits for `close`, because the last output may arrive after `exit`.
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
