/**
 * Warnings about endpoints in a region, for which the provider charges more, although their price is the price of an
 * endpoint without a region. Requests might be sold below cost.
 */

import type { EndpointData, ModelData, ProviderData } from '../../../lambdas/catalog/schema.ts';

/**
 * Matches inference profiles on Bedrock within one geography, such as `us.` or `eu.`, of models that also have a global
 * profile. They cost about 10% more than global profiles:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html, and for models of OpenAI,
 * Moonshot, xAI and Z.ai the price list of `@earendil-works/pi-ai` 1.6.0.
 */
const BEDROCK_REGION = /^(?!global\.)([a-z-]+)\.(?:anthropic\.claude-|openai\.gpt-\d|moonshotai\.|xai\.|zai\.)/;
/**
 * Matches locations of Google Cloud other than `global`. They cost 10% more:
 * https://github.com/BerriAI/litellm/pull/37543, and for Claude
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
 */
const GOOGLE_LOCATION = /googleapis\.com\/.*\/locations\/(?!global\b)([a-z0-9-]+)/;
/**
 * Matches OpenAI's regional hosts. They cost 10% more for models since 5 March 2026:
 * https://developers.openai.com/api/docs/pricing, https://github.com/BerriAI/litellm/pull/31136
 */
const OPENAI_REGION = /^https:\/\/([a-z]{2})\.api\.openai\.com/;
const OPENAI_REGIONS_COST_MORE_SINCE = '2026-03-05';
/** Matches Claude models before 4.5, which have one price everywhere. */
const EARLIER_CLAUDE = /claude-(?:3|(?:opus|sonnet)-4(?:-1)?(?:@|-2025))/;

/**
 * Returns one sentence per endpoint.
 * @param valueOf returns the value of a variable with a provider's address
 */
export function regionWarnings(
  { created, endpoints }: ModelData,
  providers: readonly ProviderData[],
  valueOf: (variable: string) => string | undefined,
): string[] {
  const addressOf = new Map(
    providers.map(({ id, base_url: url, base_url_variable: variable }) => [id, url ?? valueOf(variable!) ?? '']),
  );
  const regionOf = ({ upstream_model: name, provider }: EndpointData): string | undefined => {
    if (EARLIER_CLAUDE.test(name)) return undefined;
    const address = addressOf.get(provider) ?? '';
    const openai = created < OPENAI_REGIONS_COST_MORE_SINCE ? null : OPENAI_REGION.exec(address);
    return (BEDROCK_REGION.exec(name) ?? GOOGLE_LOCATION.exec(address) ?? openai)?.[1];
  };
  return endpoints.flatMap((endpoint) => {
    const region = regionOf(endpoint);
    const twin = region && endpoints.find((other) => regionOf(other) === undefined && hasSamePrice(other, endpoint));
    if (!twin) return [];
    return [
      `${endpoint.id}: the region "${region}" costs 10% more than ${twin.id}, which has the same price: raise the prices, or use the global endpoint.`,
    ];
  });
}

function hasSamePrice({ pricing: one }: EndpointData, { pricing: other }: EndpointData): boolean {
  return Boolean(one && other && one.prompt.equals(other.prompt) && one.completion.equals(other.completion));
}
