/** The operator's command line: `npm run admin -- --help`. */

import { runAdmin } from '../lib/admin/run.ts';

process.exitCode = await runAdmin(process.argv.slice(2));
