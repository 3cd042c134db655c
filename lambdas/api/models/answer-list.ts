/** Lists of models: filtered, sorted and paged, in the format that the client expects. */

import * as z from 'zod';
import { makesOnlyText } from '../../catalog/modality.ts';
import { pageQuery, paginate } from '../../http/pages.ts';
import { someId } from '../../http/path-params.ts';
import type { HttpRequest } from '../../http/request.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { nowMs } from '../../platform/clock.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { readReadiness } from '../parts/availability.ts';
import type { CodexModelListAnswer } from './codex-shape.ts';
import { codexModelView } from './codex-view.ts';
import { dialectOf } from './dialect.ts';
import { readEndpointReport } from './endpoint-report.ts';
import { choicesParameter } from './fields.ts';
import { filterParameters, keptOffers, type FilterQuery } from './filters.ts';
import { readFreeCapacity } from './free-capacity.ts';
import { cursorPage } from './messages-pages.ts';
import { messagesModelView } from './messages-view.ts';
import { offersOf, type OfferedModels, type ModelOffer } from './offer.ts';
import type { MessagesModelListAnswer } from './messages-shape.ts';
import type { ModelListAnswer } from './shape.ts';
import { isMeasured, sortedOffers, sortParameter, type SpeedOf } from './sort.ts';
import { refuseUnavailable } from './unavailable.ts';
import { modelView } from './view.ts';

const conventionParameters = { ...filterParameters, sort: sortParameter, ...pageQuery(1000) };

const cursor = someId.optional();
const lifecycle = choicesParameter(['active', 'deprecated', 'retired']).optional();
const MESSAGES_ONLY = 'Ignored unless the request has the header `anthropic-version`.';

const messagesParameters = {
  after_id: cursor.meta({ description: `The list begins after this model. ${MESSAGES_ONLY}` }),
  before_id: cursor.meta({ description: `The list ends before this model. ${MESSAGES_ONLY}` }),
  lifecycle: lifecycle.meta({
    description: `Only models in one of these states, comma-separated: active, deprecated, retired. All models here are active, so other states alone give an empty list. ${MESSAGES_ONLY}`,
  }),
  'lifecycle[]': lifecycle.meta({
    description: `The same as \`lifecycle\`, as the SDKs of the Messages API write it. ${MESSAGES_ONLY}`,
  }),
};
const messagesOnly = Object.keys(messagesParameters) as (keyof typeof messagesParameters)[];

/** Query of a list in any format. Unknown parameters are ignored, unless unavailable.ts refuses them. */
export const listQuery = z.object({ ...conventionParameters, ...messagesParameters });
/** Query of a list with one output modality, in the format of OpenRouter's API. */
export const oneModalityQuery = z.object(conventionParameters).omit({ output_modalities: true });

interface ListRequest<Query> {
  query: Query;
  request: HttpRequest;
}
type ListQuery = z.output<typeof listQuery>;

/**
 * Returns a list in the format that the client expects.
 * @param pathname path of the route, for links
 */
export async function answerList(
  list: OfferedModels,
  input: ListRequest<ListQuery>,
  pathname: string,
): Promise<HttpResponse> {
  const speedOf = isMeasured(input.query.sort) ? (await readEndpointReport()).statisticsOf : undefined;
  const dialect = dialectOf(input.request);
  if (dialect === 'convention') return answerConventionList(list, input, pathname, speedOf);
  const offers = offersOf({ ...list, isForPickers: true }, await readReadiness(list.models));
  return dialect === 'messages' ? answerMessagesList(offers, input, speedOf) : answerCodexList(offers, input, speedOf);
}

export async function answerConventionList(
  list: OfferedModels,
  { query, request }: ListRequest<Partial<ListQuery>>,
  pathname: string,
  speedOf?: SpeedOf,
): Promise<HttpResponse> {
  refuseFields(query, messagesOnly, 'needs the header anthropic-version; send the header, or use offset and limit');
  const [isLimited, isReady] = await Promise.all([readFreeCapacity(list.models), readReadiness(list.models)]);
  const found = sortedOffers(filtered(offersOf(list, isReady), query, request), query.sort, speedOf);
  const models = found.map(({ model, endpoints }) => modelView(model, endpoints, isLimited, isReady));
  const page = paginate(models, query, { pathname, query: request.query });
  return jsonResponse<ModelListAnswer>(200, { object: 'list', ...page });
}

/** Lists the models that produce only text. By default, the newest come first, as documented for the Messages API. */
function answerMessagesList(
  offers: readonly ModelOffer[],
  { query, request }: ListRequest<ListQuery>,
  speedOf: SpeedOf | undefined,
): HttpResponse {
  refuseFields(
    query,
    ['offset'],
    'does not work together with the header anthropic-version; use after_id, or leave the header out',
  );
  const stages = query['lifecycle[]'] ?? query.lifecycle ?? [];
  const isWanted = stages.length === 0 || stages.includes('active');
  const texts = offers.filter(({ model }) => isWanted && makesOnlyText(model.data.output_modalities));
  const found = sortedOffers(filtered(texts, query, request), query.sort ?? 'newest', speedOf);
  return jsonResponse<MessagesModelListAnswer>(200, cursorPage(found.map(messagesModelView), query));
}

/** Lists the models that produce only text, without pages, because Codex does not support them. */
function answerCodexList(
  offers: readonly ModelOffer[],
  { query, request }: ListRequest<ListQuery>,
  speedOf: SpeedOf | undefined,
): HttpResponse {
  const texts = offers.filter(({ model }) => makesOnlyText(model.data.output_modalities));
  const found = sortedOffers(filtered(texts, query, request), query.sort, speedOf);
  return jsonResponse<CodexModelListAnswer>(200, { models: found.map(codexModelView) });
}

function filtered(offers: readonly ModelOffer[], query: FilterQuery, { query: given }: HttpRequest): ModelOffer[] {
  refuseUnavailable(given);
  return keptOffers(offers, query, nowMs());
}

function refuseFields(query: Partial<ListQuery>, fields: readonly (keyof ListQuery)[], why: string): void {
  const given = fields.find((field) => query[field] !== undefined);
  if (given !== undefined) throw invalidRequest(given, why);
}
