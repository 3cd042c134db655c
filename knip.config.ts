import type { KnipConfig } from 'knip';
import { wholeModalities } from './lambdas/modality-rows.ts';
import { functions } from './lambdas/routes.ts';

export default {
  entry: [
    'bin/*.ts',
    'bin/*.mjs',
    ...Object.values(functions).map(({ entry }) => `lambdas/${entry}`),
    // Found by the names of modalities, and in their folder.
    ...Object.keys(wholeModalities).map((kind) => `lambdas/api/${kind}/about.ts`),
    'lib/local/sandbox/whole/*.ts',
    'lambdas/**/*-worker.ts',
    'lambdas/server/main.ts',
    // The bundler puts it in the place of another.
    'lambdas/catalog/load-checked.ts',
    'lib/console/main.tsx',
    'lib/**/write.ts',
    'lib/shared/bundles/bundle.ts',
    'test/run.ts',
    'test/record-durations.ts',
    'test/conformance/write.ts',
    // Agents start it.
    'test/conformance/agents/mcp-server.mjs',
    'test/drills/main.ts',
    'test/bench/*.ts',
    'test/history/main.ts',
    'test/simulations/write.ts',
    'test/templates/lint.ts',
    'test/support/*-handler.ts',
    'test/support/*-worker.ts',
    // The bundler puts them in the place of others.
    'test/support/once-*.ts',
  ],
  project: ['bin/**', 'lib/**/*.{ts,tsx}', 'lambdas/**/*.ts', 'test/**/*.{ts,mjs,cjs}'],
  ignoreDependencies: ['aws-cdk'],
  ignoreBinaries: ['cfn-lint', 'openssl', 'sha256sum', 'taskset'],
} satisfies KnipConfig;
