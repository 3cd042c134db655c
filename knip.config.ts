import type { KnipConfig } from 'knip';
import { wholeModalities } from './lambdas/modality-rows.ts';
import { functions } from './lambdas/routes.ts';

export default {
  entry: [
    'bin/*.ts',
    'bin/*.mjs',
    ...Object.values(functions).map(({ entry }) => `lambdas/${entry}`),
    // Code finds the files of these two patterns by the names of modalities, or by their folder.
    ...Object.keys(wholeModalities).map((kind) => `lambdas/api/${kind}/about.ts`),
    'lib/local/sandbox/whole/*.ts',
    'lambdas/**/*-worker.ts',
    'lambdas/server/main.ts',
    // The bundler uses this file in place of lambdas/catalog/load.ts.
    'lambdas/catalog/load-checked.ts',
    'lib/console/main.tsx',
    'lib/**/write.ts',
    'lib/shared/bundles/bundle.ts',
    'test/run.ts',
    'test/record-durations.ts',
    'test/conformance/write.ts',
    // Agents start this server.
    'test/conformance/agents/mcp-server.mjs',
    'test/drills/main.ts',
    'test/bench/*.ts',
    'test/history/main.ts',
    'test/simulations/write.ts',
    'test/templates/lint.ts',
    'test/support/*-handler.ts',
    'test/support/*-worker.ts',
    // The bundler uses these files in place of other files.
    'test/support/once-*.ts',
  ],
  project: ['bin/**', 'lib/**/*.{ts,tsx}', 'lambdas/**/*.ts', 'test/**/*.{ts,mjs,cjs}'],
  ignoreDependencies: ['aws-cdk'],
  ignoreBinaries: ['cfn-lint', 'openssl', 'sha256sum', 'taskset'],
} satisfies KnipConfig;
