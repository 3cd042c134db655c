/** Deploys the gateway into an emulated AWS, uses it, changes its release, and removes it. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from '../../../lib/shared/failure.ts';
import { startSandbox } from '../../../lib/local/sandbox/server.ts';
import { projectDirectory } from '../../../lib/shared/project-directory.ts';
import { bootstrapAccount, deployAll, destroyAll, synthesizeFor, type Outputs } from './cdk.ts';
import { unprotectStack } from './cloud.ts';
import { DeployedGateway } from './deployed-gateway.ts';
import { PROVIDER_VARIABLE, writeExactCatalog } from './drill-provider.ts';
import { startMiniStack, type MiniStack } from './ministack.ts';
import type { Rehearsal, Shape, Synthesized } from './rehearsal.ts';
import { checkOutRelease, type Release } from './release.ts';
import { Reporter, type DeployReport, type DeployStep } from './report.ts';
import { startServerProcess } from './server-process.ts';
import { serverOf } from './server-outputs.ts';
import { useNewDeployment } from './use.ts';
import { changeReleases } from './change-releases.ts';

export interface DeployDrillOptions {
  /** Path of MiniStack. */
  program: string;
  shape: Shape;
  report: (step: DeployStep) => void;
}

export async function drillDeploy({ program, shape, report }: DeployDrillOptions): Promise<DeployReport> {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-deploy-drill-'));
  const removeAll = () => rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeAll);
  const reporter = new Reporter(report);
  const sandbox = await startSandbox();
  const provider = { [PROVIDER_VARIABLE]: sandbox.anthropicUrl };
  try {
    const emulator = await startMiniStack(program, join(parent, 'emulator'), provider);
    try {
      await rehearse({ parent, shape, reporter, emulator, provider });
    } finally {
      await emulator.stop();
    }
  } finally {
    await sandbox.stop();
    process.off('exit', removeAll);
    removeAll();
  }
  return { steps: reporter.steps, phases: reporter.phases };
}

interface Grounds {
  parent: string;
  shape: Shape;
  reporter: Reporter;
  emulator: MiniStack;
  provider: Record<string, string>;
}

async function rehearse(grounds: Grounds): Promise<void> {
  const { parent, reporter, emulator } = grounds;
  const gaps = new Set<string>();
  let release: Release | undefined;
  const isPrepared = await reporter.during('prepare', async () => {
    release = await checkOutRelease(join(parent, 'release'));
    reporter.done('sources of the last release', true, `${release.version}, commit ${release.commit.slice(0, 8)}`);
    await bootstrapAccount(emulator, parent);
    reporter.done('cdk bootstrap', true, 'the emulated account is ready for deployments');
  });
  if (!isPrepared) return;
  const rehearsal = rehearsalOn(grounds, release!, gaps);
  await useNewDeployment(rehearsal);
  await changeReleases(rehearsal);
  await reporter.during('gaps', async () => {
    for (const gap of gaps) reporter.notPossible('the emulator cannot', gap);
  });
}

function rehearsalOn(
  { parent, shape, reporter, emulator, provider }: Grounds,
  release: Release,
  gaps: Set<string>,
): Rehearsal {
  // The path is fixed, so that the bundles for this catalog are built only once.
  const catalog = join(projectDirectory, '.build', 'drill-catalog');
  writeExactCatalog(catalog);
  mkdirSync(join(parent, 'assemblies'));
  return {
    shape,
    reporter,
    emulator,
    release,
    async synthesize(name, checkout, stage) {
      const assembly = join(parent, 'assemblies', name);
      // The emulator lacks CodeDeploy.
      const own = checkout === projectDirectory ? { canaryMinutes: 0, streamRuntime: shape } : {};
      const settings = { stage, catalog, variables: provider, ...own };
      for (const gap of await synthesizeFor({ checkout, settings, assembly })) gaps.add(gap);
      return { checkout, assembly, stage };
    },
    async deploy(synthesized) {
      const outputs: Outputs = await deployAll(emulator, synthesized);
      return new DeployedGateway(emulator, outputs);
    },
    async destroy(synthesized) {
      await destroyProtected(reporter, emulator, synthesized);
    },
    async serve(gateway) {
      const server = serverOf((name) => gateway.output(name));
      if (server === undefined) return undefined;
      const bundle = join(projectDirectory, '.build/functions/server');
      const running = await startServerProcess(emulator, bundle, { ...server, provider });
      gateway.url = running.url;
      return running;
    },
  };
}

/** Deletes protected stacks: the first attempt must fail, and the second must succeed after the documented steps. */
async function destroyProtected(reporter: Reporter, emulator: MiniStack, synthesized: Synthesized): Promise<void> {
  const refusal = await destroyAll(emulator, synthesized).then(
    () => undefined,
    (error: unknown) => error as StartFailure,
  );
  reporter.done(
    'cdk destroy of protected stacks',
    refusal !== undefined && /TerminationProtection/i.test(refusal.message),
    refusal === undefined ? 'was not refused' : 'refused because of their termination protection',
  );
  for (const part of ['data', 'api']) await unprotectStack(emulator, `model-gateway-${synthesized.stage}-${part}`);
  await destroyAll(emulator, synthesized);
  reporter.done('cdk destroy without the protection', true, 'all stacks are deleted');
}
