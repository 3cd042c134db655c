/**
 * Loaded before a program (--require): on SIGUSR2 it collects its garbage and says on standard error what memory it needs
 * then, so that a test can tell what is kept from what has only not been collected yet.
 */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  collect();
  process.stderr.write(`collected ${JSON.stringify(process.memoryUsage())}\n`);
});
