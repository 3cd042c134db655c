/** Starts the operator's command line: `npm run admin -- --help`. */

import { variables } from '../lambdas/platform/environment.ts';
import { runAdmin } from '../lib/admin/run.ts';

process.env[variables.local] = '1';
process.exitCode = await runAdmin(process.argv.slice(2));
