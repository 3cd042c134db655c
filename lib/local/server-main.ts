/** Program of the server's process (web-server.ts). It runs the bundled server, and ends together with the gateway. */

import { pathToFileURL } from 'node:url';
import { belongToBoot } from './boot-processes.ts';

const [directory, program] = process.argv.splice(2, 2) as [string, string];
belongToBoot(directory);
await import(pathToFileURL(program).href);
