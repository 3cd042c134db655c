/** The prompt of a request that allows the gateway to leave messages out where it is too long for the model. */

import { middleOut } from '../../messages/middle-out.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { Message, MessagesRequest } from '../../messages/types.ts';
import type { JobRequest } from '../../platform/concurrency/job-thread.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { countPromptTokens } from './local-count.ts';
import { measurePrompt, type PromptContent } from './prompt-size.ts';
import { promptTexts } from './prompt-texts.ts';

type Context = Pick<Endpoint, 'contextLength' | 'maxOutputTokens' | 'quirks'>;

/** Few texts have more tokens for their bytes: below, a prompt fits without being counted. */
const MAX_TOKENS_PER_ESTIMATED = 2;
/** Where it could not be counted. */
const TYPICAL_TOKENS_PER_ESTIMATED = 4 / 3;
/** Of counts with a vocabulary that is the provider's own, and with one that is not. */
const OWN_MARGIN = 1.05;
const OTHER_MARGIN = 1.2;
/** Kept for the answer where the client did not say how long it may be. */
const ANSWER_SHARE = 1 / 4;

/**
 * The same request where it fits, else one without the messages that `middleOut` leaves out. Sizes are estimates on the
 * safe side; a prompt that is too long all the same is refused by the provider.
 * @param content the measures of the request
 * @param endpoint the first that is tried
 * @param counting the request that the prompt is counted for
 * @throws {GatewayError} 400 where what has to stay does not fit
 */
export async function withinContext(
  request: MessagesRequest,
  content: PromptContent,
  endpoint: Context,
  counting: JobRequest,
): Promise<MessagesRequest> {
  const maxTokens = promptRoom(request, endpoint);
  const { estimatedTokens } = content;
  if (estimatedTokens * MAX_TOKENS_PER_ESTIMATED <= maxTokens) return request;
  const factor = await tokensPerEstimated(request, content, endpoint, counting);
  if (estimatedTokens * factor <= maxTokens) return request;
  const sizeOf = (messages: Message[]) => measurePrompt({ model: request.model, messages }).estimatedTokens * factor;
  const besides = estimatedTokens * factor - sizeOf(request.messages);
  const { messages, tokens } = middleOut(request.messages, maxTokens - besides, sizeOf);
  if (tokens + besides > maxTokens) {
    throw invalidRequest(
      'messages',
      `have about ${Math.ceil(tokens + besides)} tokens in what cannot be left out (system, tools, the last message), and ${maxTokens} fit into the context of "${request.model}" beside the answer; shorten them, or lower max_tokens`,
    );
  }
  return { ...request, messages };
}

function promptRoom({ max_tokens: asked }: MessagesRequest, endpoint: Context): number {
  const { contextLength = Infinity, maxOutputTokens = Infinity } = endpoint;
  const answer = Math.min(asked ?? contextLength * ANSWER_SHARE, maxOutputTokens);
  return Math.floor(contextLength - answer);
}

/** How many tokens the provider probably counts for each one that was estimated from bytes. */
async function tokensPerEstimated(
  request: MessagesRequest,
  { estimatedTokens, images, unbounded }: PromptContent,
  { quirks }: Context,
  counting: JobRequest,
): Promise<number> {
  const { tokenizer } = quirks;
  const counted = await countPromptTokens(promptTexts(request, tokenizer), tokenizer, counting);
  if (counted === undefined) return TYPICAL_TOKENS_PER_ESTIMATED;
  const margin = tokenizer === undefined ? OTHER_MARGIN : OWN_MARGIN;
  // Images and files were estimated, and not counted.
  const least = images > 0 || unbounded ? 1 : 0;
  return Math.max(least, (counted * margin) / estimatedTokens);
}
