/** Kinds of provider errors, by the party that can fix them, and the rules that detect them. */

/**
 * - `request`: the client's request is at fault; every endpoint of the model would refuse it
 * - `elsewhere`: the same, except that another endpoint of the model may accept it
 * - `context`: the prompt does not fit into the model's context
 * - `size`: the request has too many bytes
 * - `reasoning`: the provider cannot read encrypted reasoning that it once returned
 * - `operator`: the operator's account, key, project or contract at the provider
 * - `catalog`: the provider has retired the model, or does not have it
 * - `rate`, `overload`, `timeout`, `failure`: problems of the provider itself
 */
export type FaultKind =
  | 'request'
  | 'elsewhere'
  | 'context'
  | 'size'
  | 'reasoning'
  | 'operator'
  | 'catalog'
  | 'rate'
  | 'overload'
  | 'timeout'
  | 'failure';

/**
 * Origin of an error format. Providers in the catalog have these ids, or ids that begin with one of them and a hyphen.
 */
export type ProviderFamily =
  | 'alibaba'
  | 'amazon-bedrock'
  | 'anthropic'
  | 'azure'
  | 'cerebras'
  | 'cohere'
  | 'deepinfra'
  | 'deepseek'
  | 'fireworks-ai'
  | 'gigachat'
  | 'google'
  | 'groq'
  | 'huggingface'
  | 'litellm'
  | 'llama-cpp'
  | 'lm-studio'
  | 'minimax'
  | 'mistral'
  | 'moonshotai'
  | 'ollama'
  | 'openai'
  | 'openrouter'
  | 'perplexity'
  | 'runway'
  | 'togetherai'
  | 'vllm'
  | 'xai'
  | 'yandex'
  | 'zai';

/** A rule. It matches an error that fulfills all its conditions. */
export interface FaultRule {
  family: ProviderFamily;
  kind: FaultKind;
  /**
   * HTTP status of the response, or the status in an error within a stream that began with a success. `none`: the error
   * has neither.
   */
  status?: readonly number[] | 'none';
  /**
   * A type, code, status word or reason, in lower case. A number stands as its digits, and matches only for this
   * family.
   */
  code?: readonly string[];
  /**
   * Rules that blame the operator, the catalog or the provider match from the beginning of the message, because later
   * text may quote the client. Groups named `asked`, `limit` and `over` capture numbers of tokens.
   */
  message?: RegExp;
  /** The rule matches only for this family, because others use the same code for another error. */
  isOwn?: true;
}

/**
 * Rules of one family from one source. A comment before the call has the URL of the documentation or report with the
 * errors.
 */
export function rulesFrom(family: ProviderFamily, ...patterns: Omit<FaultRule, 'family'>[]): FaultRule[] {
  return patterns.map((pattern) => ({ ...pattern, family }));
}
