/**
 * Runs a script of this project on Node 24 or later, even if npm itself runs on an older Node. It uses the Node that
 * `npm ci` installs as a package, or else the current Node if that is new enough. This file is plain JavaScript,
 * because an older Node must be able to read it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;
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
    // Node caches the JavaScript that it compiles from TypeScript files, which shortens the startup.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
  const child = spawn(node, process.argv.slice(2), { stdio: 'inherit', env });
  // This process must live until the child ends, so it passes signals on to the child instead of ending. The child may
  // get Ctrl-C twice: from the terminal and from this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm starts this process through a shell, which may not pass npm's signals on. If npm is killed, this process only
  // notices that its parent has changed.
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
