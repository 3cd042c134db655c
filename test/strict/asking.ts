/**
 * Converts one row of features from the body of a client to the request that reaches an endpoint. Nothing is sent over
 * a network.
 */

import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import { withoutRouting, type RoutedRequest } from '../../lambdas/messages/preferences.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import type { WireRequest } from '../../lambdas/providers/wire.ts';
import { toMessagesCandidate } from '../../lambdas/routing/candidates.ts';
import { bodyOf, type Wishes } from './wishes.ts';

/** Request as the gateway reads it, or the fields that the gateway refuses. */
export type ReadWishes =
  | { row: Wishes; message: MessagesRequest; content: ReturnType<typeof measurePrompt> }
  | { row: Wishes; refusedFields: string[] };

export function readWishes(row: Wishes): ReadWishes {
  const body = JSON.parse(JSON.stringify(bodyOf(row))) as unknown;
  const { data, error } = schemas[row.api](body);
  if (!data) return { row, refusedFields: error.issues.map(({ path }) => path.join('.')) };
  const message = withoutRouting('message' in data ? (data.message as RoutedRequest) : data);
  return { row, message, content: measurePrompt(message) };
}

const schemas = {
  messages: (body: unknown) => messagesRequestSchema.safeParse(body),
  chat: (body: unknown) => chatRequestSchema.safeParse(body),
  responses: (body: unknown) => responsesRequestSchema.safeParse(body),
};

export type Outcome = { sent: WireRequest } | { refusedField: string };

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

/** Returns the request that the endpoint gets. @throws every error that is not a refusal of the gateway */
export function askEndpoint(
  { message, content }: Extract<ReadWishes, { message: MessagesRequest }>,
  { model, endpoint }: { model: Model; endpoint: Endpoint },
): Outcome {
  const pricing = endpoint.pricing!;
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, credential: 'c', isOnlyFirst: false };
  const candidate = toMessagesCandidate(usable)!;
  try {
    const { attempts } = prepareAttempts(
      {
        message,
        content,
        client,
        origins: undefined,
        leftOut: [],
        requiresParameters: false,
        onExcluded: () => undefined,
      },
      [candidate],
    );
    return { sent: attempts[0]!.encode() };
  } catch (error) {
    const field = error instanceof GatewayError && error.kind === 'invalid_request' && error.metadata['field'];
    if (typeof field !== 'string') throw error;
    return { refusedField: field };
  }
}
