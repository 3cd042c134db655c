/** The operator's command line: `npm run admin -- --help`. */

import { mistakeIn } from '../lib/admin/mistakes.ts';
import { buildProgram } from '../lib/admin/program.ts';

try {
  await buildProgram().parseAsync();
} catch (error) {
  const mistake = mistakeIn(error);
  if (mistake === undefined) throw error;
  process.stderr.write(`${mistake}\n`);
  process.exitCode = 1;
}
