import { StartFailure } from '../lib/local/failure.ts';
import { greeting, readyLine } from '../lib/local/greeting.ts';
import { parseOptions, usage } from '../lib/local/options.ts';
import { startGateway } from '../lib/local/start.ts';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(`${usage}\n`);
  } else {
    const gateway = await startGateway(options);
    process.stdout.write(options.json ? `${readyLine(gateway)}\n` : greeting(gateway, performance.now()));
    let stopping = false;
    const stop = () => {
      // Asked again: at once, and the sweep of the next start settles what was under way.
      if (stopping) process.exit(1);
      stopping = true;
      void gateway.stop().then(() => process.exit(0));
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  }
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
