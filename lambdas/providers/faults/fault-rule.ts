/** Defines the kinds of provider errors and the form of the rules that detect them. */

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

/**
 * Family of providers with the same error format. A provider belongs to a family if its id in the catalog is the
 * family's name, or begins with the name and a hyphen.
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
  | 'elevenlabs'
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

/** Matches an error that fulfills all conditions of the rule. */
export interface FaultRule {
  family: ProviderFamily;
  kind: FaultKind;
  /**
   * Matching HTTP statuses: of the response or, for an error in a stream, the status in the error. `none` matches an
   * error without any status.
   */
  status?: readonly number[] | 'none';
  /**
   * Matching types, codes, status words or reasons, in lower case. A numeric code is written as its digits. A rule with
   * a numeric code matches only errors of its own family.
   */
  code?: readonly string[];
  /**
   * Pattern of the error message. The pattern of a rule that blames the operator, the catalog or the provider must
   * match the beginning of the message, because later text may quote the client. Groups named `asked`, `limit` and
   * `over` capture numbers of tokens.
   */
  message?: RegExp;
  /** Set if the rule matches only errors of this family, because other families use the same code for another error. */
  isOwn?: true;
  /** Set if the same request would fail again, although the kind of fault usually goes away. */
  isLasting?: true;
  /**
   * Set if the rule is tried for every provider, together with the rules of the provider's own family. Without it, the
   * rule is tried for other families only after their own rules.
   */
  isGeneral?: true;
}

/** Returns rules of one family from one source. A comment before each call has the URL of the source. */
export function rulesFrom(family: ProviderFamily, ...patterns: Omit<FaultRule, 'family'>[]): FaultRule[] {
  return patterns.map((pattern) => ({ ...pattern, family }));
}
