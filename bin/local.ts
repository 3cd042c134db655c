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
    const stop = () => {
      void gateway.stop().then(() => process.exit(0));
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  }
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
