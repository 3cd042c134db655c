import { setTimeout as sleep } from 'node:timers/promises';
import { variables } from '../lambdas/platform/environment.ts';
import { StartFailure } from '../lib/shared/failure.ts';
import { greeting, lossNotice, readyLine } from '../lib/local/greeting.ts';
import { parseOptions, usage, type LocalOptions } from '../lib/local/options.ts';
import type { LocalGateway } from '../lib/local/start.ts';

process.env[variables.local] = '1';
process.umask(0o077);

/** A second signal within this time is ignored. One Ctrl-C may arrive twice: from the terminal and through npm. */
const SAME_SIGNAL_MS = 500;
/**
 * Maximum time for the gateway to stop after a process that it needs has ended. Without the database, running requests
 * might never end.
 */
const END_AFTER_LOSS_MS = 8_000;

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(`${usage}\n`);
  else await runLocalGateway(options);
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

const STOPPING = '\nStopping: running requests are ended and settled. Press Ctrl-C again to stop at once.\n';

async function runLocalGateway(options: LocalOptions): Promise<void> {
  let gateway: LocalGateway | undefined;
  let stoppingSinceMs: number | undefined;
  const stop = () => {
    // Before the gateway has started, it serves no requests, so this process ends immediately.
    if (!gateway) process.exit(1);
    if (stoppingSinceMs === undefined) {
      stoppingSinceMs = performance.now();
      if (process.stderr.isTTY) process.stderr.write(STOPPING);
      void gateway.stop().then(() => process.exit(0));
    } else if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) {
      // A second signal stops the gateway immediately. The next start settles the requests that were running.
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const { startGateway } = await import('../lib/local/start.ts');
  gateway = await startGateway(options);
  process.stdout.write(options.json ? `${readyLine(gateway)}\n` : greeting(gateway, options, performance.now()));
  const loss = await gateway.lost;
  if (stoppingSinceMs !== undefined) return;
  stoppingSinceMs = performance.now();
  process.stderr.write(lossNotice(loss, options));
  await Promise.race([gateway.stop(), sleep(END_AFTER_LOSS_MS)]);
  process.exit(1);
}
