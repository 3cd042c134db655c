/**
 * Preloaded module (--require) that reports memory. On SIGUSR2 it collects garbage and reports the remaining memory on
 * standard error, so that tests can distinguish leaks from garbage. On SIGCONT it reports the number of live timers.
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

/** On SIGCONT, reports the number of live timers. Counting them takes a second or two. */
process.on('SIGCONT', () => {
  process.stderr.write(`timers ${queryObjects(Timeout, { format: 'count' })}\n`);
});
