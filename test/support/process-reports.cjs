/**
 * Preloaded module (--require) that answers each connection to a socket in the directory PROCESS_REPORTS with a report
 * about its process. Child processes inherit it.
 */

const { createServer } = require('node:net');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const directory = process.env.PROCESS_REPORTS;
/** The arguments are copied, because programs may remove some of them. */
const argv = [...process.argv];

function report() {
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  return {
    pid: process.pid,
    parentPid: process.ppid,
    argv,
    environment: process.env,
    cpuMs: (user + system) / 1_000,
    residentMb: rss / 1_048_576,
    peakMb: process.resourceUsage().maxRSS / 1_024,
  };
}

if (directory && isMainThread) {
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(report()));
  })
    .listen(join(directory, `${process.pid}.sock`))
    .on('error', () => undefined)
    .unref();
}
