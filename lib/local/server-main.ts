/** Program of the server process: runs the bundled server, and exits when the gateway exits. */

import { pathToFileURL } from 'node:url';
import { belongToBoot } from './boot-processes.ts';

const [directory, program] = process.argv.splice(2, 2) as [string, string];
belongToBoot(directory);
await import(pathToFileURL(program).href);
