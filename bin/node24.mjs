/**
 * Runs a command of this project on Node 24, whatever Node npm itself runs on: on the one that comes with the packages,
 * else on the current one if it is new enough. Plain JavaScript, because an older Node must be able to read it.
 *
 * Usage: node bin/node24.mjs <script> [arguments]
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;
/** How often the parent is looked for, in milliseconds. */
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
    // What Node has read once, types left out and compiled, it need not read again: a third of the time of a start, and
    // the memory of the reader.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
  const child = spawn(node, process.argv.slice(2), { stdio: 'inherit', env });
  // This process only has to outlive the child. A terminal's Ctrl-C then reaches the child twice; it expects that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm tells the shell between it and this process, and that tells nobody: when npm is killed, only its absence says so.
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
  refuse('The packages are not installed yet: run "npm ci", then the command again.');
} else if (node) {
  run(node);
} else {
  refuse(
    `This needs Node ${OLDEST}, and no package brings it for ${process.platform}-${process.arch}: install it, then run the command again.`,
  );
}
