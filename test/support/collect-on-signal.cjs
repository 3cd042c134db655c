/**
 * Loaded before a program (--require): on SIGUSR2 it collects its garbage and reports on standard error what memory is
 * left, so that a test can separate what is kept from what is only not collected yet. On SIGCONT it reports how many timers are kept.
 */

const { queryObjects, setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const example = setTimeout(() => undefined);
clearTimeout(example);
const Timeout = example.constructor;

process.on('SIGUSR2', () => {
  collect();
  collect();
  process.stderr.write(`collected ${JSON.stringify(process.memoryUsage())}\n`);
});

/** This takes a second or two. */
process.on('SIGCONT', () => {
  process.stderr.write(`timers ${queryObjects(Timeout, { format: 'count' })}\n`);
});
