/** Process that claims a data directory (`claim`), or belongs to the gateway on the directory (`belong`). */
import { belongToBoot } from '../../lib/local/boot-processes.ts';
import { claimDirectory } from '../../lib/shared/data-directory/directory-claim.ts';

const [what, directory] = process.argv.slice(2) as [string, string];
if (what === 'claim') await claimDirectory(directory, { waitMs: 0 });
else belongToBoot(directory);
process.send!('ready');
setInterval(() => undefined, 60_000);
