/** Writes the document that GET /openapi.json returns: `npm run openapi`. */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toolArguments } from '../shared/tool-arguments.ts';
import { buildDocument } from './document.ts';

export const documentFile = fileURLToPath(new URL('../../lambdas/api/service/openapi.json', import.meta.url));

export async function documentText(): Promise<string> {
  return `${JSON.stringify(await buildDocument(), null, 2)}\n`;
}

if (import.meta.main) {
  toolArguments('Usage: npm run openapi\n\nWrites the document that GET /openapi.json returns.', {});
  writeFileSync(documentFile, await documentText());
  process.stdout.write(`${documentFile}\n`);
}
