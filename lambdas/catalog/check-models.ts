import { CatalogError } from './catalog-error.ts';
import { messagesWires, type AliasData, type EndpointData, type ModelData, type ProviderData } from './schema.ts';

/** A value with the file and field it was read from, for messages. */
export interface Located<T> {
  value: T;
  place: string;
}

/** An endpoint with what it inherits from its provider. */
interface Offer {
  data: EndpointData;
  provider: ProviderData;
  place: string;
}

/**
 * Checks what no single field can tell: references, unique ids, and that the catalog promises nothing which its
 * endpoints cannot do.
 * @throws {CatalogError} naming file and field of the first thing that is wrong.
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
      return { data, provider, place: at };
    });
    checkPrices(model, offers, place);
    for (const offer of offers) checkLimits(model, offer);
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

function checkPrices(model: ModelData, offers: Offer[], place: string): void {
  if (offers.every(({ data }) => !data.pricing)) {
    throw new CatalogError(`${place}.endpoints[0].pricing: at least one endpoint of "${model.id}" needs a price`);
  }
  for (const { data, provider, place: at } of offers) {
    if (provider.per_request_fee && data.pricing && !data.pricing.request) {
      throw new CatalogError(`${at}.pricing.request: the provider "${provider.id}" charges a fee for every request`);
    }
  }
}

function checkLimits(model: ModelData, { data, place }: Offer): void {
  const context = data.context_length ?? model.context_length;
  if (data.max_output_tokens !== undefined && context !== undefined && data.max_output_tokens > context) {
    throw new CatalogError(
      `${place}.max_output_tokens: ${data.max_output_tokens} is more than the context of ${context} tokens`,
    );
  }
  if (model.output_modalities.includes('text') && (context === undefined || data.max_output_tokens === undefined)) {
    throw new CatalogError(`${place}: a text endpoint needs context_length and max_output_tokens`);
  }
}

function checkTextModel(model: ModelData, offers: Offer[], place: string): void {
  for (const offer of offers) {
    checkWire(offer);
    checkThinking(model, offer);
    checkDefaults(model, offer);
  }
  checkInput(model, offers, place);
}

function wireOf({ data, provider }: Offer) {
  return data.wire ?? provider.wire;
}

function checkWire(offer: Offer): void {
  const wire = wireOf(offer);
  if (!(messagesWires as readonly string[]).includes(wire)) {
    throw new CatalogError(
      `${offer.place}.wire: a text endpoint speaks one of ${messagesWires.join(', ')}, not "${wire}"`,
    );
  }
}

/** What a model thinks without being asked has to be held from the start, so nobody may forget to say. */
function checkThinking(model: ModelData, offer: Offer): void {
  const { data, place } = offer;
  const said = data.quirks?.thinks_by_default;
  if (wireOf(offer) !== 'anthropic') {
    if (said === undefined) return;
    throw new CatalogError(`${place}.quirks.thinks_by_default: only endpoints of the wire "anthropic" have it`);
  }
  if (said === undefined && model.supported_parameters.includes('reasoning')) {
    throw new CatalogError(
      `${place}.quirks.thinks_by_default: say whether "${model.id}" thinks when a request does not ask for it (true or false)`,
    );
  }
}

/** Anthropic's wire has no words for these. */
const penalties = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;

function checkDefaults(model: ModelData, offer: Offer): void {
  if (wireOf(offer) !== 'anthropic') return;
  const unspeakable = penalties.find((name) => typeof model.default_parameters?.[name] === 'number');
  if (unspeakable) {
    throw new CatalogError(
      `${offer.place}: "${model.id}" has a default_parameters.${unspeakable}, which the wire "anthropic" cannot express`,
    );
  }
}

/** Kinds of input are promised only where at least one endpoint takes them. */
function checkInput(model: ModelData, offers: Offer[], place: string): void {
  const speaksAnthropic = offers.some((offer) => wireOf(offer) === 'anthropic');
  const takesPdf = offers.some(({ data, provider }) => data.quirks?.pdf_files ?? provider.quirks?.pdf_files ?? false);
  for (const [index, modality] of model.input_modalities.entries()) {
    const at = `${place}.input_modalities[${index}]`;
    if (modality === 'file' && !speaksAnthropic && !takesPdf) {
      throw new CatalogError(`${at}: no endpoint of "${model.id}" takes PDF documents (see the quirk pdf_files)`);
    }
    if ((modality === 'audio' || modality === 'video') && !speaksAnthropic) {
      throw new CatalogError(`${at}: no endpoint of "${model.id}" has a wire that carries ${modality}`);
    }
  }
}
