/** Program that rehearses failures on this machine: `npm run drill -- --help`. */

import { runDrill } from './run.ts';
import { StartFailure } from '../../lib/shared/failure.ts';

try {
  process.exitCode = await runDrill(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
