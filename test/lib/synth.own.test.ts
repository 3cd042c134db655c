import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '../support/long-runs.ts';

describe('a deployment', () => {
  it.each(isLongForm ? ['functions', 'web'] : ['functions'])(
    'is synthesized from the real bundles, passes all checks, and warns of two missing settings: %s',
    { timeout: 300_000 },
    async (runtime) => {
      const output = mkdtempSync(join(tmpdir(), 'gateway-synth-'));
      try {
        const cdk = [
          'bin/node24.mjs',
          'node_modules/aws-cdk/bin/cdk',
          'synth',
          '--quiet',
          '--output',
          output,
          '-c',
          `gateway:streamRuntime=${runtime}`,
        ];
        const { stdout, stderr } = await promisify(execFile)(process.execPath, cdk, { encoding: 'utf8' });
        const said = stdout + stderr;
        expect(said).toContain('Successfully synthesized');
        const warnings = said.split('\n').filter((line) => line.includes('WARNING'));
        expect(warnings.map((line) => /gateway:[a-zA-Z]+/.exec(line)?.[0]).toSorted()).toEqual([
          'gateway:alarmEmail',
          'gateway:concurrency',
        ]);
      } finally {
        rmSync(output, { recursive: true, force: true });
      }
    },
  );
});
