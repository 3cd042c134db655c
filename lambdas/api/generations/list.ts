import * as z from 'zod';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { integerParameter } from '../../http/fields.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { datesBetween, utcDate } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { firstGenerationId, generationTimeMs } from '../../platform/ids.ts';
import { resources } from '../../resources.ts';
import { requestsOfDay, requestStatuses, type PastRequest } from '../../store/generations/request-history.ts';
import { hasTags, tagFilter } from '../parts/tag-filter.ts';
import { listedRequest } from './list-view.ts';
import type { GenerationListAnswer, ListedRequestBody } from './shape.ts';

const day = z.iso.date({ error: 'must be a UTC date such as 2026-11-19' }).optional();

export const accepts = {
  compress: compressed,
  query: z.strictObject({
    from: day.meta({
      description: 'The first UTC day; without it, only the last day is listed.',
      example: '2026-10-01',
    }),
    to: day.meta({ description: 'The last UTC day; without it, today.', example: '2026-10-31' }),
    api_key_hash: someId
      .optional()
      .meta({ description: 'Only requests of the key with this `hash`, even if it was deleted since.' }),
    user_id: someId.optional().meta({ description: 'Only requests of this member.' }),
    workspace_id: someId.optional().meta({ description: 'Only requests of this workspace, by id or slug.' }),
    model: someId
      .optional()
      .meta({ description: 'Only requests that this model answered, or that requested it and have no answer yet.' }),
    status: z
      .enum(requestStatuses, { error: `must be one of ${requestStatuses.join(', ')}` })
      .optional()
      .meta({
        description:
          'Only requests with this status: `pending` until the cost is final, `refused` if the gateway refused it and sent nothing to a provider, and otherwise how the answer ended: `complete`, `out_of_money` (a limit was used up), `refused_before` (every provider failed before its answer began), `broke_off` (the provider failed in the middle), `client_left` (the client closed the connection) or `out_of_time` (the answer took too long).',
      }),
    tag: tagFilter,
    limit: integerParameter(1, 100).default(50).meta({ description: 'The most entries to return.' }),
    cursor: z
      .string()
      .refine((text) => generationTimeMs(text) !== undefined, 'must be the next_cursor of an answer')
      .optional()
      .meta({ description: 'The `next_cursor` of the page before this one.' }),
  }),
};

type Query = z.output<typeof accepts.query>;

/**
 * Maximum number of requests to read for a page that already has entries. It bounds the time of a filter with few
 * matches.
 */
const MAX_READ = 400;
/**
 * Maximum number of days to read for a page that already has entries. Even without requests, each day needs sixteen
 * queries, or 80 if the account's records are spread.
 */
const MAX_DAYS_READ = 40;
/**
 * Time in ms after which a search without matches returns an empty page with a cursor. Some clients interpret an empty
 * page as the end of the list, so earlier days are searched first.
 */
const MAX_EMPTY_MS = 5_000;
const MAX_DAYS = 400;

/**
 * Returns a page of an account's requests, newest first: final, pending and refused.
 *
 * Guarantee: all pages together contain each matching generation that existed at the first page exactly once. Refusals
 * are read eventually consistent. A page with fewer entries than requested may also have a cursor.
 */
export const handler = defineEndpoint('list-generations', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const { limit } = query;
  const filter = {
    ...query,
    workspace_id:
      query.workspace_id === undefined ? undefined : (await findWorkspace(table, account.id, query.workspace_id)).id,
  };
  const dates = requestedDates(query);
  const data: ListedRequestBody[] = [];
  const startedAtMs = performance.now();
  let lookedAt = 0;
  const isOver = (count: number, maxCount: number) =>
    data.length > 0 ? count >= maxCount : performance.now() - startedAtMs > MAX_EMPTY_MS;
  for (const [index, date] of dates.entries()) {
    if (index > 0 && isOver(index, MAX_DAYS_READ)) return page(data, firstGenerationId(Date.parse(dates[index - 1]!)));
    for await (const request of requestsOfDay(table, account.id, date, query.cursor)) {
      lookedAt += 1;
      if (matchesFilter(request, filter)) {
        // The page is full. This request only shows that there is another page.
        if (data.length === limit) return page(data, data.at(-1)!.id);
        data.push(listedRequest(request));
      }
      if (isOver(lookedAt, MAX_READ)) return page(data, idOf(request));
    }
  }
  return page(data, null);
});

function page(data: ListedRequestBody[], next: string | null) {
  const searchedUntil = next === null ? null : new Date(generationTimeMs(next)!).toISOString();
  return jsonResponse<GenerationListAnswer>(200, { data, next_cursor: next, searched_until: searchedUntil });
}

/**
 * Returns the requested days, newest first.
 * @throws {GatewayError} 400 for days in the wrong order, or too many
 */
function requestedDates({ from, to, cursor }: Query): string[] {
  const cursorDate = cursor === undefined ? undefined : utcDate(generationTimeMs(cursor)!);
  // A new day may have begun since the first page, so a later page ends at the day of its cursor.
  const last = to ?? cursorDate ?? utcDate(nowMs());
  const dates = datesBetween(from ?? last, last);
  if (dates.length === 0) throw invalidRequest('from', `must not be later than the last day, ${last}`);
  if (dates.length > MAX_DAYS)
    throw invalidRequest(
      'from',
      `must be less than ${MAX_DAYS} days before the last day, ${last}; request shorter periods`,
    );
  return dates.filter((date) => date <= (cursorDate ?? last)).toReversed();
}

function matchesFilter(request: PastRequest, filter: Query): boolean {
  const { api_key_hash, user_id, workspace_id, model, status, tags } = listedRequest(request);
  return (
    (filter.api_key_hash === undefined || api_key_hash === filter.api_key_hash) &&
    (filter.user_id === undefined || user_id === filter.user_id) &&
    (filter.workspace_id === undefined || workspace_id === filter.workspace_id) &&
    (filter.model === undefined || model === filter.model) &&
    (filter.status === undefined || status === filter.status) &&
    hasTags(tags, filter.tag)
  );
}

function idOf(request: PastRequest): string {
  return 'refusal' in request ? request.refusal.id : request.generation.id;
}
