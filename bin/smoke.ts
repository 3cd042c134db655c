/** Checks a deployment from outside: `npm run smoke -- --help`. */

import { StartFailure } from '../lib/shared/failure.ts';
import { runSmoke } from '../lib/smoke/run.ts';

try {
  process.exitCode = await runSmoke(process.argv.slice(2), process.env);
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
