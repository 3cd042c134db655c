import { variables } from '../../../lambdas/platform/environment.ts';
import type { FunctionHost } from '../../../lambdas/server/function-host.ts';
import { Sandbox, type Invocation } from './sandbox.ts';
import type { DeployedFunction, Deployment, Value } from './templates.ts';

/** On a laptop, more processes than this would only wait for each other. */
const MAX_SANDBOXES = 16;

/** What replaces the parts of the template on this machine. */
export interface LocalParts {
  tableName: string;
  bucketName: string;
  /** URLs by logical id. */
  queueUrls: Record<string, string>;
  /** Addresses of emulators and the like, for every function. */
  environment: Record<string, string>;
}

/**
 * Runs the synthesized bundles, unchanged, in sandboxes: warm ones are reused, new ones are started on demand, and when
 * there are too many, an idle one of another function makes room.
 */
export function startSandboxedHost(deployment: Deployment, parts: LocalParts): FunctionHost {
  const idle: Sandbox[] = [];
  const waiting: (() => void)[] = [];
  const alive = new Set<Sandbox>();
  const running = new Set<Promise<unknown>>();
  let starting = 0;

  async function acquire(deployed: DeployedFunction): Promise<Sandbox> {
    for (;;) {
      const warm = idle.findLastIndex((sandbox) => sandbox.functionName === deployed.name && !sandbox.isDead);
      if (warm !== -1) return idle.splice(warm, 1)[0]!;
      if (alive.size + starting < MAX_SANDBOXES) break;
      const other = idle.shift();
      if (other) {
        alive.delete(other);
        await other.stop();
      } else {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    }
    starting += 1;
    try {
      const sandbox = await Sandbox.start(deployed, functionEnvironment(deployed, parts));
      alive.add(sandbox);
      return sandbox;
    } finally {
      starting -= 1;
    }
  }

  function release(sandbox: Sandbox): void {
    if (sandbox.isDead) alive.delete(sandbox);
    else idle.push(sandbox);
    waiting.shift()?.();
  }

  function run(name: string, invocation: Invocation): Promise<unknown> {
    const work = runInSandbox(name, invocation);
    running.add(work);
    return work.finally(() => running.delete(work));
  }

  async function runInSandbox(name: string, invocation: Invocation): Promise<unknown> {
    const sandbox = await acquire(deployment.functions.get(name)!);
    try {
      return await sandbox.invoke(invocation);
    } finally {
      release(sandbox);
    }
  }

  return {
    invoke: (name, event) => run(name, { event }),
    async stream(name, event, response) {
      await run(name, { event, response });
    },
    async idle() {
      await Promise.allSettled(running);
    },
    async stop() {
      await Promise.all([...alive].map((sandbox) => sandbox.stop()));
    },
  };
}

/** The variables of the template with this machine's values, and those that only this machine has. */
function functionEnvironment(deployed: DeployedFunction, parts: LocalParts): Record<string, string> {
  const own = Object.entries(deployed.environment)
    .filter(([, value]) => !('onAws' in value))
    .map(([name, value]) => [name, localValue(value as LocalValue, parts)]);
  const { TABLE_NAME: _, BUCKET_NAME: __, ...shared } = parts.environment;
  // Who may not read the catalog on AWS does not find it here.
  if (!(variables.catalogBucket in deployed.environment)) delete shared[variables.publicationsDirectory];
  return { ...providerKeys(), ...shared, ...(Object.fromEntries(own) as Record<string, string>) };
}

type LocalValue = Exclude<Value, { onAws: true }>;

function localValue(value: LocalValue, parts: LocalParts): string {
  if ('text' in value) return value.text;
  if ('table' in value) return parts.tableName;
  if ('bucket' in value) return parts.bucketName;
  if ('queue' in value) return parts.queueUrls[value.queue]!;
  return `local:${value.secret}`;
}

/** On a laptop, provider keys are in the environment; on AWS, in a secret. */
function providerKeys(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].endsWith('_API_KEY') && entry[1] !== undefined,
    ),
  );
}
