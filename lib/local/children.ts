/**
 * Processes that must not outlive this one. They are stopped in order when the gateway stops; if it ends in any other
 * way that it can still notice (a second Ctrl-C, an error), they end with it.
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
