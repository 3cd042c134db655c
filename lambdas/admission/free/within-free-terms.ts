import type { MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Model } from '../../catalog/catalog.ts';
import { fittingThinking } from '../../messages/fitting-thinking.ts';
import type { PromptContent } from '../prompt/prompt-size.ts';

/**
 * Limits the answer to the model's terms.
 * @throws {GatewayError} 400 if the terms do not allow the prompt or a web search
 */
export function withinFreeTerms(message: MessagesRequest, model: Model, content: PromptContent): MessagesRequest {
  const terms = model.data.service_free;
  if (!terms) return message;
  const { input_token_limit: maxInput, output_token_limit: maxAnswer } = terms;
  if (content.maySearch) {
    throw invalidRequest(
      'model',
      `"${model.id}" does not search the web; leave the search out, or use the model without ":free"`,
    );
  }
  if (content.unbounded) {
    throw invalidRequest(
      'messages',
      `"${model.id}" does not accept documents or files, because their token count has no bound; send text`,
    );
  }
  if (content.estimatedTokens > maxInput) {
    throw invalidRequest(
      'messages',
      `"${model.id}" accepts at most ${maxInput} input tokens, and this prompt has about ${content.estimatedTokens}; shorten it, or use the model without ":free"`,
      { input_token_limit: maxInput, estimated_tokens: content.estimatedTokens },
    );
  }
  const maxTokens = Math.min(message.max_tokens ?? maxAnswer, maxAnswer);
  return { ...message, max_tokens: maxTokens, ...fittingThinking(message, maxTokens) };
}
