import { Money } from '../money/money.ts';
import { CatalogError } from './catalog-error.ts';
import { checkFree } from './check-free.ts';
import { checkPriceDates } from './check-price-dates.ts';
import { checkPriceBounds } from './price-bounds.ts';
import { checkQuirks } from './check-quirks.ts';
import { mediaModalities, type MediaModality } from './quirk-values.ts';
import { quirksOf, wireOf } from './quirks.ts';
import { penalties } from './sampling-parameters.ts';
import type { AliasData, EndpointData, ModelData, ProviderData } from './schema.ts';
import { factsOf, messagesWires, type InputModality, type MessagesFacts, type Wire } from './wires.ts';

/** A value with its file and field, for error messages. */
export interface Located<T> {
  value: T;
  place: string;
}

interface CheckedOffer {
  data: EndpointData;
  provider: ProviderData;
  wire: Wire;
  place: string;
}

interface TextOffer extends CheckedOffer {
  facts: MessagesFacts;
}

/**
 * Checks rules that involve several fields.
 * @throws {CatalogError} naming file and field of the first error
 */
export function checkModels(
  providers: ProviderData[],
  models: Located<ModelData>[],
  aliases: Located<AliasData>[],
): void {
  const providerOf = new Map(providers.map((provider) => [provider.id, provider]));
  const modelIds = new Set<string>();
  const permaslugs = new Set<string>();
  const endpointIds = new Set<string>();
  for (const { value: model, place } of models) {
    addUnique(modelIds, model.id, `${place}.id`);
    addUnique(permaslugs, model.permaslug, `${place}.permaslug`);
    const offers = model.endpoints.map((data, index) => {
      const at = `${place}.endpoints[${index}]`;
      addUnique(endpointIds, data.id, `${at}.id`);
      const provider = providerOf.get(data.provider);
      if (!provider) {
        throw new CatalogError(`${at}.provider: there is no provider "${data.provider}" in providers.json`);
      }
      const wire = wireOf(data, provider);
      checkQuirks(wire, data.quirks, at);
      return { data, provider, wire, place: at };
    });
    checkRouting(model, new Set(providerOf.keys()), place);
    checkPriceDates(model, place);
    checkPriceBounds(model, place);
    checkFree(model, offers, place);
    checkPrices(model, offers, place);
    for (const offer of offers) {
      checkLimits(model, offer);
      checkListed(model, offer);
    }
    if (model.output_modalities.includes('text')) checkTextModel(model, offers, place);
  }
  for (const { value: alias, place } of aliases) {
    addUnique(modelIds, alias.alias, `${place}.alias`);
    if (!models.some(({ value }) => value.id === alias.target)) {
      throw new CatalogError(`${place}.target: there is no model "${alias.target}"`);
    }
  }
}

function addUnique(seen: Set<string>, id: string, place: string): void {
  if (seen.has(id)) throw new CatalogError(`${place}: "${id}" is used twice`);
  seen.add(id);
}

/** Checks that all providers in the default routing exist, because a misspelled name would silently have no effect. */
function checkRouting({ routing }: ModelData, providerIds: ReadonlySet<string>, place: string): void {
  for (const field of ['order', 'only', 'ignore'] as const) {
    const unknown = routing?.[field]?.findIndex((name) => !providerIds.has(name)) ?? -1;
    if (unknown === -1) continue;
    throw new CatalogError(
      `${place}.routing.${field}[${unknown}]: there is no provider "${routing![field]![unknown]}" in providers.json`,
    );
  }
}

function checkPrices(model: ModelData, offers: CheckedOffer[], place: string): void {
  if (offers.every(({ data }) => !data.pricing)) {
    throw new CatalogError(`${place}.endpoints[0].pricing: at least one endpoint of "${model.id}" needs pricing`);
  }
  for (const { data, provider, place: at } of offers) {
    const [name, paid] = model.service_free
      ? (['service_cost', data.service_cost] as const)
      : (['pricing', data.pricing] as const);
    const perToken = model.video && data.pricing && Object.values(data.pricing).some(isPaid);
    if (perToken)
      throw new CatalogError(`${at}.pricing: videos are paid by the second; use "0" for prompt and completion`);
    if (provider.per_request_fee && paid && !paid.request) {
      throw new CatalogError(
        `${at}.${name}.request: is required, because the provider "${provider.id}" charges a fee for every request`,
      );
    }
  }
}

function isPaid(price: unknown): boolean {
  return !(price instanceof Money) || !price.isZero;
}

function checkLimits(model: ModelData, { data, place }: CheckedOffer): void {
  const context = data.context_length ?? model.context_length;
  if (data.max_output_tokens !== undefined && context !== undefined && data.max_output_tokens > context) {
    throw new CatalogError(
      `${place}.max_output_tokens: ${data.max_output_tokens} must not be above the context of ${context} tokens`,
    );
  }
  if (model.output_modalities.includes('text') && (context === undefined || data.max_output_tokens === undefined)) {
    throw new CatalogError(`${place}: a text endpoint needs context_length and max_output_tokens`);
  }
}

/** Checks that an endpoint lists no more capabilities than its model, because lists of models show only the model's. */
function checkListed(model: ModelData, { data, place }: CheckedOffer): void {
  for (const field of ['input_modalities', 'supported_parameters'] as const) {
    const extra = data[field]?.find((name) => !(model[field] as string[]).includes(name));
    if (extra !== undefined) throw new CatalogError(`${place}.${field}: "${model.id}" itself does not list "${extra}"`);
  }
}

function checkTextModel(model: ModelData, offers: CheckedOffer[], place: string): void {
  // A model that also generates images may have endpoints that only serve the image routes.
  const textOffers = offers.filter(({ data }) => !data.image).map(withFacts);
  for (const offer of textOffers) {
    checkThinking(model, offer);
    checkDefaults(model, offer);
  }
  checkInput(model, textOffers, place);
  checkOutput(model, textOffers, place);
}

function withFacts(offer: CheckedOffer): TextOffer {
  const facts = factsOf(offer.wire).messages;
  if (facts) return { ...offer, facts };
  throw new CatalogError(
    `${offer.place}.wire: must be one of ${messagesWires.join(', ')} for a text endpoint, not "${offer.wire}"`,
  );
}

/**
 * Each endpoint of a reasoning model must state in a quirk whether the model thinks by default. If so, the hold of
 * every request must cover thinking.
 */
function checkThinking(model: ModelData, { data, place, facts: { thinksByDefaultQuirk: quirk } }: TextOffer): void {
  if (!quirk || !model.supported_parameters.includes('reasoning') || data.quirks?.[quirk] !== undefined) return;
  throw new CatalogError(
    `${place}.quirks.${quirk}: is required: true if "${model.id}" thinks when a request does not request thinking, otherwise false`,
  );
}

function checkDefaults(model: ModelData, { facts, wire, place }: TextOffer): void {
  const unsupported = penalties.find((name) => typeof model.default_parameters?.[name] === 'number');
  if (facts.hasPenalties || !unsupported) return;
  throw new CatalogError(
    `${place}: "${model.id}" has default_parameters.${unsupported}, which the wire "${wire}" cannot express; leave it out`,
  );
}

/** End of the error message for a kind of input that no endpoint accepts. */
const lackingInput: Partial<Record<InputModality, string>> = {
  file: 'accepts PDF documents (see the quirk pdf_files)',
  audio: 'accepts recordings (see the quirk audio_files)',
};

/** Checks that for each listed kind of input, at least one text endpoint accepts it. */
function checkInput(model: ModelData, offers: TextOffer[], place: string): void {
  for (const [index, modality] of model.input_modalities.entries()) {
    const takes = ({ facts, data, provider }: TextOffer) =>
      (data.input_modalities ?? model.input_modalities).includes(modality) &&
      facts.carries(quirksOf(data, provider)).includes(modality);
    if (offers.some(takes)) continue;
    const lacking = lackingInput[modality] ?? `has a wire for ${modality}`;
    throw new CatalogError(`${place}.input_modalities[${index}]: no endpoint of "${model.id}" ${lacking}`);
  }
}

/**
 * Checks that a model lists exactly the kinds of media that its text endpoints generate, because routing relies on the
 * list. If only endpoints of the image routes generate images, they belong to a separate model.
 */
function checkOutput(model: ModelData, offers: TextOffer[], place: string): void {
  const made = new Set<MediaModality>();
  for (const { data, provider, facts, wire, place: at } of offers) {
    for (const modality of quirksOf(data, provider).modalities ?? []) {
      if (!facts.makes.includes(modality)) {
        throw new CatalogError(`${at}.quirks.modalities: the wire "${wire}" cannot express ${modality}`);
      }
      if (!model.output_modalities.includes(modality)) {
        throw new CatalogError(`${at}.quirks.modalities: "${model.id}" itself does not list "${modality}"`);
      }
      made.add(modality);
    }
  }
  const missing = mediaModalities.find((name) => model.output_modalities.includes(name) && !made.has(name));
  if (missing === undefined) return;
  throw new CatalogError(
    `${place}.output_modalities: no text endpoint of "${model.id}" makes ${missing} (see the quirk modalities)`,
  );
}
