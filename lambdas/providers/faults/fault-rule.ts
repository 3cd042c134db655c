/**
 * Kind of a provider's error:
 * - `request`: the client's request is at fault; every endpoint of the model would probably reject it
 * - `elsewhere`: the client's request is at fault, but another endpoint of the model may accept it
 * - `context`: the prompt does not fit into the model's context
 * - `size`: the request has too many bytes
 * - `reasoning`: the provider cannot read encrypted reasoning that it once returned
 * - `operator`: the operator's account, key, project or contract at the provider is at fault
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

/** Providers with the same error format: their catalog ids are the family's name, or begin with it and a hyphen. */
export type ProviderFamily =
  | 'alibaba'
  | 'amazon-bedrock'
  | 'anthropic'
  | 'azure'
  | 'cerebras'
  | 'cohere'
  | 'deepinfra'
  | 'deepseek'
  | 'elevenlabs'
  | 'fireworks-ai'
  | 'gigachat'
  | 'google'
  | 'groq'
  | 'huggingface'
  | 'litellm'
  | 'llama-cpp'
  | 'lm-studio'
  | 'meta'
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

/** Rule for errors of providers. It matches an error that fulfills all of its conditions. */
export interface FaultRule {
  family: ProviderFamily;
  kind: FaultKind;
  /**
   * HTTP statuses of the response or, if a stream contains the error, in the error. `none`: the error has no status.
   */
  status?: readonly number[] | 'none';
  /** Types, codes, status words or reasons, in lower case. Numeric codes match only the rule's own family. */
  code?: readonly string[];
  /**
   * Pattern of the error message, with groups `asked`, `limit` and `over` for numbers of tokens. The pattern of a rule
   * that blames the operator, the catalog or the provider must match the beginning of the message, because later text
   * may quote the client.
   */
  message?: RegExp;
  /** Set if the rule matches only errors of this family, because other families use the same code for another error. */
  isOwn?: true;
  /** Set if the same request would fail again, although faults of this kind usually go away. */
  isLasting?: true;
  /** Set if the rule is tried for every provider together with the provider's own rules, and not only after them. */
  isGeneral?: true;
}

/** Returns rules of one family from one source. A comment before each call has the URL of the source. */
export function rulesFrom(family: ProviderFamily, ...patterns: Omit<FaultRule, 'family'>[]): FaultRule[] {
  return patterns.map((pattern) => ({ ...pattern, family }));
}
