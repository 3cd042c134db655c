/**
 * Processes that must not outlive this one. They are stopped in order when the gateway stops; if it ends in any other
 * way that it can still notice (a second Ctrl-C, an error), they end with it.
 *
 * Some of them the gateway cannot do without (its database, its queues, its server): those are needed, and whoever started
 * them hears of it when they end by themselves. The others are started again by who uses them: the workers
 * (workers-process.ts), the functions' processes (sandboxed/), threads for jobs.
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

/** A process without which the gateway cannot answer. */
export interface NeededChild {
  /** Resolves with a sentence, once the process has ended and nobody has stopped it. */
  lost: Promise<string>;
  /** Ends it if it runs, and waits for its end. */
  stop: () => Promise<void>;
}

/** How a needed process is spoken of, and ended. */
export interface ChildManners {
  /** The first words of the sentence about its end. */
  name: string;
  /** The end of its own log. */
  lastWords?: () => string;
  /** Asks it to end; without it, by SIGTERM. */
  end?: () => void;
  /** Others may ask it to end as well: an end with exit code 0 is not its own. */
  endsForOthers?: boolean;
}

export function needChild(
  child: ChildProcess,
  { name, lastWords, end, endsForOthers = false }: ChildManners,
): NeededChild {
  let isStopping = false;
  // A program that cannot be run at all has an error instead, which is for whoever tries to.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lost = new Promise<string>((resolve) => {
    // Not at its exit: its last words may be on their way then.
    child.once('close', () => {
      const isOrderly = isStopping || (endsForOthers && child.exitCode === 0);
      if (!isOrderly) resolve(`${name} ended by itself (${endingOf(child)}).${lastWordsSentence(lastWords?.())}`);
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

function lastWordsSentence(words = ''): string {
  const line = words.trim().split('\n').at(-1);
  return line ? ` Its last words were: ${line}` : '';
}
