import { StartFailure } from '../lib/local/failure.ts';
import { greeting, readyLine } from '../lib/local/greeting.ts';
import { parseOptions, usage } from '../lib/local/options.ts';
import { startGateway } from '../lib/local/start.ts';

/** Only the owner may read what a gateway and its database write. */
process.umask(0o077);

/** One Ctrl-C may arrive twice: from the terminal and through npm. */
const SAME_SIGNAL_MS = 500;

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(`${usage}\n`);
  } else {
    const gateway = await startGateway(options);
    process.stdout.write(options.json ? `${readyLine(gateway)}\n` : greeting(gateway, options, performance.now()));
    let askedAtMs: number | undefined;
    const stop = () => {
      if (askedAtMs === undefined) {
        askedAtMs = performance.now();
        void gateway.stop().then(() => process.exit(0));
      } else if (performance.now() - askedAtMs > SAME_SIGNAL_MS) {
        // Asked again: stop at once. The sweep of the next start settles what was running.
        process.exit(1);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  }
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
