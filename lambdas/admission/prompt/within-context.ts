import { middleOut } from '../../messages/middle-out.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { Message, MessagesRequest } from '../../messages/types.ts';
import type { JobRequest } from '../../platform/concurrency/job-thread.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { countPromptTokens } from './local-count.ts';
import { measurePrompt, type PromptContent } from './prompt-size.ts';
import { promptTexts } from './prompt-texts.ts';

type Context = Pick<Endpoint, 'contextLength' | 'maxOutputTokens' | 'quirks'>;

/** Ratio of real tokens to estimated tokens that few texts exceed. A prompt that fits at this ratio needs no count. */
const MAX_TOKENS_PER_ESTIMATED = 2;
const TYPICAL_TOKENS_PER_ESTIMATED = 4 / 3;
/** Factors for the likely error of a local count, by tokenizer. */
const FACTORS = { o200k: 1.05, claude: 1.5, other: 1.2 } as const;
/** Share of the context that is reserved for the answer if the client did not limit its length. */
const ANSWER_SHARE = 1 / 4;

/**
 * Returns the request unchanged if it fits into the model's context, otherwise without the messages that `middleOut`
 * omits. Sizes are estimates, so the provider may still reject a prompt.
 * @throws {GatewayError} 400 if the parts that must stay do not fit
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
  const fixedTokens = estimatedTokens * factor - sizeOf(request.messages);
  const { messages, tokens } = middleOut(request.messages, maxTokens - fixedTokens, sizeOf);
  if (tokens + fixedTokens > maxTokens) {
    throw invalidRequest(
      'messages',
      `have about ${Math.ceil(tokens + fixedTokens)} tokens that the gateway cannot leave out (system, tools, the last message), but only ${maxTokens} fit into the context of "${request.model}" in addition to the answer; shorten them, or lower max_tokens`,
    );
  }
  return { ...request, messages };
}

function promptRoom({ max_tokens: requested }: MessagesRequest, endpoint: Context): number {
  const { contextLength = Infinity, maxOutputTokens = Infinity } = endpoint;
  const answer = Math.min(requested ?? contextLength * ANSWER_SHARE, maxOutputTokens);
  return Math.floor(contextLength - answer);
}

async function tokensPerEstimated(
  request: MessagesRequest,
  { estimatedTokens, images, unbounded }: PromptContent,
  { quirks }: Context,
  counting: JobRequest,
): Promise<number> {
  const { tokenizer } = quirks;
  const counted = await countPromptTokens(promptTexts(request, tokenizer), tokenizer, counting);
  if (counted === undefined) return TYPICAL_TOKENS_PER_ESTIMATED;
  // The count does not include images and files, so the ratio may be too low.
  const least = images > 0 || unbounded ? 1 : 0;
  return Math.max(least, (counted * FACTORS[tokenizer ?? 'other']) / estimatedTokens);
}
