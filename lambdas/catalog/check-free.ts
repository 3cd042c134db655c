import { Money } from '../money/money.ts';
import { CatalogError } from './catalog-error.ts';
import { BUDGET_PARTS, budgetPart, maxFreeRequestCost, FREE_SUFFIX } from './free-terms.ts';
import { quirksOf } from './quirks.ts';
import type { EndpointData, ModelData, PricingData, ProviderData, ServiceFree } from './schema.ts';

interface FreeOffer {
  data: EndpointData;
  provider: ProviderData;
  place: string;
}

/**
 * Checks that a model's name, terms and prices agree on whether it is free. Each part of its daily budget must cover
 * the largest request of the terms.
 * @throws {CatalogError} naming the first invalid field
 */
export function checkFree(model: ModelData, offers: FreeOffer[], place: string): void {
  const { id, service_free: terms } = model;
  if (!terms) {
    if (id.endsWith(FREE_SUFFIX))
      throw new CatalogError(`${place}.service_free: "${id}" is free, so it needs the limits of its free use`);
    for (const { data, place: at } of offers) {
      if (data.service_cost && model.video)
        throw new CatalogError(
          `${at}.service_cost: videos are paid by the second, and service_cost has no price per second; leave it out`,
        );
    }
    return;
  }
  if (!id.endsWith(FREE_SUFFIX)) {
    throw new CatalogError(`${place}.service_free: only models whose id ends in ":free" may have it, not "${id}"`);
  }
  if (!model.output_modalities.includes('text')) {
    throw new CatalogError(`${place}.service_free: only models with the output "text" can be free, not "${id}"`);
  }
  for (const offer of offers) checkFreeOffer(offer, terms);
  checkTerms(model, terms, `${place}.service_free`);
}

function checkFreeOffer({ data, provider, place }: FreeOffer, terms: ServiceFree): void {
  if (!data.pricing) return;
  const priced = pricedField(data.pricing);
  if (priced) throw new CatalogError(`${place}.pricing.${priced}: a free model costs its clients nothing; use "0"`);
  if (!data.service_cost) {
    throw new CatalogError(
      `${place}.service_cost: is required: the prices that the provider charges the service ("0" if it charges nothing)`,
    );
  }
  const { min_output_tokens: least = 0, reasoning_beyond_max_tokens: isUnbounded } = quirksOf(data, provider);
  if (least > terms.output_token_limit) {
    throw new CatalogError(
      `${place}.quirks.min_output_tokens: ${least} must not be above output_token_limit (${terms.output_token_limit})`,
    );
  }
  if (isUnbounded) {
    throw new CatalogError(
      `${place}.quirks.reasoning_beyond_max_tokens: output_token_limit cannot bound the answers of this endpoint; leave the endpoint out`,
    );
  }
}

/** Returns the name of the first field that is a price above zero or a list of prices; undefined if there is none. */
function pricedField(pricing: PricingData): string | undefined {
  for (const [name, value] of Object.entries(pricing)) {
    if (value instanceof Money && !value.isZero) return name;
    if (Array.isArray(value)) return name;
  }
  return undefined;
}

function checkTerms(model: ModelData, terms: ServiceFree, place: string): void {
  if (terms.daily_funded < terms.daily_base) {
    throw new CatalogError(
      `${place}.daily_funded: ${terms.daily_funded} must not be below daily_base (${terms.daily_base})`,
    );
  }
  const maxCost = maxFreeRequestCost(model);
  if (maxCost.exceeds(budgetPart(terms))) {
    throw new CatalogError(
      `${place}.daily_budget_rub: ${terms.daily_budget_rub} must cover the cost of ${BUDGET_PARTS} of the largest requests, ` +
        `${maxCost.times(BUDGET_PARTS)} RUB; raise it, or lower the token limits`,
    );
  }
}
