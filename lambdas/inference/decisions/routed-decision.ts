import { privacyOf, type Caller } from '../../admission/caller.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import { taskOf, taskTexts, type Task, type TaskText } from '../../decisions/task.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { GatewayError } from '../../platform/errors.ts';
import { privacyFilter } from '../../protection/privacy.ts';
import { protect, type Protection } from '../../protection/sensitive-data.ts';
import { decisionCandidates, type DecisionCandidate } from '../../routing/decision-candidates.ts';
import type { LeaveOut } from '../../routing/left-out.ts';
import { endpointSignals } from '../endpoint-signals.ts';

interface RoutedDecision {
  /** As providers may get it. */
  task: Task;
  /** In the client's own words. */
  own: Task;
  /** At least one. */
  candidates: DecisionCandidate[];
}

/**
 * Where a request for decisions may go, and what goes there.
 * @throws {GatewayError} 400 or 404 when there is no such place, 400 for what may not be sent anywhere
 */
export async function routeDecision(
  body: DecisionsRequest,
  { caller, protection, leaveOut }: { caller: Caller; protection: Protection; leaveOut?: LeaveOut },
): Promise<RoutedDecision> {
  const texts = taskTexts(body);
  const { model, models, provider } = body;
  const asMessage: MessagesRequest = {
    model,
    messages: [{ role: 'user', content: texts.map(({ text }) => ({ type: 'text', text })) }],
  };
  const { message } = await protect(asMessage, protection).catch((error: unknown) => {
    throw inFieldsOf(texts, error);
  });
  const [said] = message.messages;
  const written = (said!.content as unknown as { text: string }[]).map(({ text }) => text);
  const candidates = await decisionCandidates({
    catalog: await servedCatalog(),
    request: { ...asMessage, ...(models ? { models } : {}), ...(provider ? { provider } : {}) },
    exclusionOf: privacyFilter(privacyOf(caller)),
    signals: endpointSignals(),
    promptTokens: estimateTokens(written.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)),
    leaveOut,
  });
  return {
    task: taskOf(body, written),
    own: taskOf(
      body,
      texts.map(({ text }) => text),
    ),
    candidates,
  };
}

const BLOCK = /^messages\.0\.content\.(\d+)\.text/;

/** What is wrong with a text is named by the field that the client wrote it in. */
function inFieldsOf(texts: readonly TaskText[], error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { kind, message, metadata, status, headers } = error;
  const { field } = metadata;
  const place = typeof field === 'string' ? texts[Number(BLOCK.exec(field)?.[1])] : undefined;
  if (!place) return error;
  const renamed = message.replace(field as string, () => place.field);
  return new GatewayError(kind, renamed, {
    status,
    metadata: { ...metadata, field: place.field },
    headers,
    cause: error,
  });
}
