import { sealDays } from '../../books/seals/seal-days.ts';
import { openDocumentSigner } from '../../platform/secrets/document-signer.ts';
import { optionalVariable, variables } from '../../platform/environment.ts';
import { openKeptFiles } from '../../platform/immutable-files.ts';
import { log } from '../../platform/logger.ts';
import { once } from '../../platform/concurrency/once.ts';
import { resources } from '../../resources.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no further day is started. */
const STOP_SEALING_BEFORE_TIMEOUT_MS = 300_000;

const files = once(openKeptFiles);
const signer = once(openDocumentSigner);

/** Seals completed days. Does nothing if no storage for the files, or no signing key, is configured. */
export async function handler(_event: unknown, context: WorkerContext): Promise<{ sealed: number }> {
  const tools = { table: resources.table(), files: files(), signer: signer() };
  if (!tools.files || !tools.signer) return { sealed: 0 };
  const sealed = await sealDays(
    { table: tools.table, files: tools.files, signer: tools.signer },
    {
      deadlineMs: performance.now() + context.getRemainingTimeInMillis() - STOP_SEALING_BEFORE_TIMEOUT_MS,
      timestampAuthority: optionalVariable(variables.timestampAuthority),
    },
  );
  if (sealed > 0)
    log('info', 'days sealed', { worker: 'seal-days', awsRequestId: context.awsRequestId, count: sealed });
  return { sealed };
}
