import { variables } from '../../../lambdas/platform/environment.ts';
import type { FunctionHost } from '../../../lambdas/server/function-host.ts';
import { Sandbox, type Invocation } from './sandbox.ts';
import type { DeployedFunction, Deployment, Value } from './templates.ts';

/** Maximum number of processes. More processes would only compete for the CPU of a developer's machine. */
const MAX_SANDBOXES = 16;

/** Local replacements for AWS resources. */
export interface LocalParts {
  tableName: string;
  bucketName: string;
  /** Queue URLs by logical id in the template. */
  queueUrls: Record<string, string>;
  /** Variables for the functions, for example URLs of emulators. */
  environment: Record<string, string>;
}

/**
 * Runs the synthesized bundles in sandboxes, which are reused, and started on demand. At the maximum number, an idle
 * sandbox of another function is stopped first; if none is idle, the invocation waits.
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

/** Returns the variables of the template with local values, and additional local variables. */
function functionEnvironment(deployed: DeployedFunction, parts: LocalParts): Record<string, string> {
  const own = Object.entries(deployed.environment)
    .filter(([, value]) => !('onAws' in value))
    .map(([name, value]) => [name, localValue(value as LocalValue, parts)]);
  const { TABLE_NAME: _, BUCKET_NAME: __, ...shared } = parts.environment;
  // A function that cannot read published catalogs on AWS cannot read them here.
  if (!(variables.catalogBucket in deployed.environment)) delete shared[variables.publicationsDirectory];
  return { ...shared, ...(Object.fromEntries(own) as Record<string, string>) };
}

type LocalValue = Exclude<Value, { onAws: true }>;

function localValue(value: LocalValue, parts: LocalParts): string {
  if ('text' in value) return value.text;
  if ('table' in value) return parts.tableName;
  if ('bucket' in value) return parts.bucketName;
  if ('queue' in value) return parts.queueUrls[value.queue]!;
  return `local:${value.secret}`;
}
