/**
 * Runs a command of this project on Node 24, whatever Node npm itself uses. It takes the Node that comes with the
 * packages, or else the current Node if that is new enough. This file is plain JavaScript, because an older Node must
 * be able to read it.
 *
 * Usage: node bin/node24.mjs <script> [arguments]
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;
/** Interval at which this process checks whether its parent still exists, in milliseconds. */
const LOOK_EVERY_MS = 500;

function findNode() {
  try {
    const platform = process.platform === 'win32' ? 'win' : process.platform;
    const manifest = createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/package.json`);
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return Number(process.versions.node.split('.')[0]) >= OLDEST ? process.execPath : undefined;
  }
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

function run(node) {
  const env = {
    // Node caches compiled files without their types. This saves a third of the startup time, and memory.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
  const child = spawn(node, process.argv.slice(2), { stdio: 'inherit', env });
  // This process must live until the child ends, so it passes signals on instead of ending. The child gets the Ctrl-C
  // of a terminal twice, and handles that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm sends its signals to a shell between npm and this process, and the shell does not pass them on. If npm is
  // killed, the only sign in this process is a changed parent.
  const parent = process.ppid;
  const look = process.env.npm_lifecycle_event
    ? setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), LOOK_EVERY_MS)
    : undefined;
  child.once('exit', (code, signal) => {
    clearInterval(look);
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}

const node = findNode();
if (!existsSync(new URL('../node_modules', import.meta.url))) {
  refuse('The packages are not installed yet. Run "npm ci", then run the command again.');
} else if (node) {
  run(node);
} else {
  refuse(
    `This command needs Node ${OLDEST}, and no package provides it for ${process.platform}-${process.arch}. Install Node ${OLDEST}, then run the command again.`,
  );
}
