/** The operator's command line: `npm run admin -- --help`. */

import { CatalogError } from '../lambdas/catalog/catalog-error.ts';
import { GatewayError } from '../lambdas/platform/errors.ts';
import { buildProgram } from '../lib/admin/program.ts';
import { StartFailure } from '../lib/local/failure.ts';

try {
  await buildProgram().parseAsync();
} catch (error) {
  const isExpected = error instanceof GatewayError || error instanceof StartFailure || error instanceof CatalogError;
  if (!isExpected) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
