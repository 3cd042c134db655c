/** Converts a row of features to a client's body, and to the request that would reach an endpoint. */

import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import type { MediaModality } from '../../lambdas/catalog/quirk-values.ts';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import { prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import { withoutRouting, type RoutedRequest } from '../../lambdas/messages/preferences.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import { withoutLooseEnd } from '../../lambdas/messages/thinking-signatures.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import type { WireRequest } from '../../lambdas/providers/wire.ts';
import { toMessagesCandidate } from '../../lambdas/routing/candidates.ts';
import { bodyOf, type Wishes } from './wishes.ts';

/** Request as the gateway reads it, or the fields that it refuses. */
export type ReadWishes =
  | { row: Wishes; message: MessagesRequest; content: ReturnType<typeof measurePrompt> }
  | { row: Wishes; refusedFields: string[] };

/**
 * Reads the body of a row as the gateway does.
 * @param makes output in addition to text, if the API has a field for that
 * @param isMusic whether the audio is music, which has no voice
 */
export function readWishes(row: Wishes, makes?: MediaModality, isMusic = false): ReadWishes {
  const asked = makes === undefined ? bodyOf(row) : withMedia(row, makes, isMusic);
  const body = JSON.parse(JSON.stringify(asked)) as unknown;
  const { data, error } = schemas[row.api](body);
  if (!data) return { row, refusedFields: error.issues.map(({ path }) => path.join('.')) };
  const message = withoutLooseEnd(withoutRouting('message' in data ? (data.message as RoutedRequest) : data));
  return { row, message, content: measurePrompt(message) };
}

/** Returns the body of a request for speech, for music, or for images in a conversation. */
function withMedia(row: Wishes, makes: MediaModality, isMusic: boolean): object {
  const body = bodyOf(row);
  if (row.api !== 'chat') return body;
  const voice = isMusic ? {} : { audio: { voice: 'alloy', format: 'wav' } };
  if (makes === 'audio') return { ...body, modalities: ['text', 'audio'], ...voice };
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
  const messages = (body['messages'] as { role: string }[]).map((message) =>
    message.role === 'assistant' ? { ...message, images } : message,
  );
  // Some models draw images of only one size.
  const size = row.user === 'yes' ? { image_size: '1K' } : {};
  return { ...body, messages, modalities: ['image', 'text'], image_config: { aspect_ratio: '3:2', ...size } };
}

const schemas = {
  messages: (body: unknown) => messagesRequestSchema.safeParse(body),
  chat: (body: unknown) => chatRequestSchema.safeParse(body),
  responses: (body: unknown) => responsesRequestSchema.safeParse(body),
};

export type Outcome = { sent: WireRequest } | { refusedField: string };

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

/**
 * Returns the request that the endpoint gets, or the refused field.
 * @throws {Error} if the request fails for another reason
 */
export function askEndpoint(
  { message, content }: Extract<ReadWishes, { message: MessagesRequest }>,
  { model, endpoint }: { model: Model; endpoint: Endpoint },
): Outcome {
  const pricing = endpoint.pricing!;
  const held = { pricing, serviceCost: undefined };
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, held, credential: 'c', isOnlyFirst: false };
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
