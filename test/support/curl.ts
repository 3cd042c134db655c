import { spawnSync } from 'node:child_process';

export const hasCurl = spawnSync('curl', ['--version']).status === 0;
