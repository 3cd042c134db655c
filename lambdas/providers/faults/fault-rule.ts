/** Kinds of errors of providers, by who can change something, and the rules that find them. */

/**
 * - `request`: the client's request is at fault; every endpoint of the model would refuse it
 * - `elsewhere`: the same, except that another endpoint of the model may take it
 * - `context`: the prompt does not fit into the model's context
 * - `size`: the request has too many bytes
 * - `reasoning`: the provider cannot read sealed reasoning that it once gave out
 * - `operator`: the operator's account, key, project or contract at the provider
 * - `catalog`: the provider has retired the model, or does not know it
 * - `rate`, `overload`, `timeout`, `failure`: the provider's own
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

/** Who writes an error in this form. The catalog's providers have these ids, or ids that begin with them and a hyphen. */
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

/** One rule: an error that has everything which the rule names is of its kind. */
export interface FaultRule {
  family: ProviderFamily;
  kind: FaultKind;
  /** HTTP status of the answer, or the one in the error of an answer that began with a success. `none`: there is neither. */
  status?: readonly number[] | 'none';
  /** A type, code, status word or reason, in small letters. A number stands as its digits and counts for this family alone. */
  code?: readonly string[];
  /**
   * Rules that blame the operator, the catalog or the provider match from the beginning of the message: further on, a message may quote
   * the client. Groups named `asked`, `limit` and `over` hold numbers of tokens.
   */
  message?: RegExp;
  /** The rule counts for this family alone, because another one means something else by it. */
  isOwn?: true;
}

/** Rules of one family from one source: a comment before the call has the address of the documentation or report that shows the errors. */
export function rulesFrom(family: ProviderFamily, ...patterns: Omit<FaultRule, 'family'>[]): FaultRule[] {
  return patterns.map((pattern) => ({ ...pattern, family }));
}
