import { StartFailure } from './failure.ts';
import type { FunctionHost } from './function-host.ts';

export async function startSandboxedHost(_environment: Record<string, string>): Promise<FunctionHost> {
  throw new StartFailure('--sandboxed is not available yet.');
}
