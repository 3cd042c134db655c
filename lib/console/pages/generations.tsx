import { useState } from 'preact/hooks';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import type { Owners } from '../account.ts';
import { readOwners } from '../owners.ts';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { Failure } from '../parts/notice.tsx';
import { RequestTable } from '../parts/request-table.tsx';
import { firstRecentDay, type FoundRequests } from '../request-search.ts';
import { useRequestSearch } from '../use-request-search.ts';
import { requestStatusNames } from '../texts/languages.ts';

const GENERATIONS_REFRESH_MS = 4_000;
const GENERATIONS_PAGE_ROWS = 50;

const filterNames = ['workspace', 'key', 'member', 'model', 'tag', 'status', 'from', 'to'] as const;
type Filters = Record<(typeof filterNames)[number], string>;

/**
 * Page of the account's requests, newest first. The filters are part of the URL, so that a list can be shared as a
 * link.
 */
export function GenerationsPage({ query }: { query: URLSearchParams }) {
  const { texts, client } = useConsole();
  const requested = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ''])) as Filters;
  const cursor = query.get('cursor') ?? '';
  const { workspace, key, member, model, tag, status, to } = requested;
  const from = requested.from === '' ? firstDayBefore(to) : requested.from;
  const filters = { ...requested, from };
  const owners = useLoaded((signal) => readOwners(client, signal), [client]);
  // Only the newest page of a list up to today is refreshed: older pages and past days rarely change.
  const isLive = cursor === '' && (to === '' || to >= utcDate(Date.now()));
  const search = useRequestSearch(
    client,
    {
      filters: { workspace_id: workspace, api_key_hash: key, user_id: member, model, tag, status, to },
      from,
      cursor,
      rows: GENERATIONS_PAGE_ROWS,
    },
    isLive ? GENERATIONS_REFRESH_MS : undefined,
  );
  return (
    <>
      <h1>{texts.pages.generations}</h1>
      <FilterForm key={JSON.stringify(filters)} filters={filters} owners={owners.value} />
      <Failure failure={search.failure} />
      {(!search.isSearching || search.rows.length > 0) && (
        <RequestTable rows={search.rows} keys={owners.value?.keys ?? []} />
      )}
      <SearchNotice search={search} />
      <p class="actions">
        {cursor !== '' && <a href={hashOf('generations', undefined, filters)}>{texts.newest}</a>}
        {!search.isSearching && search.cursor !== null && (
          <a href={hashOf('generations', undefined, { ...filters, cursor: search.cursor })}>
            {search.rows.length < GENERATIONS_PAGE_ROWS ? texts.searchFurther : texts.older}
          </a>
        )}
      </p>
    </>
  );
}

/** Returns the first day of a list for which no first day was chosen: it covers one week. */
function firstDayBefore(to: string): string {
  return firstRecentDay(to === '' ? Date.now() : Math.min(Date.now(), Date.parse(to)));
}

/** Shows how far back the search has read, while it runs or if it stopped early. */
function SearchNotice({ search: { isSearching, searchedUntil, rows } }: { search: FoundRequests }) {
  const { texts } = useConsole();
  const { time } = useFormats();
  const isShort = rows.length < GENERATIONS_PAGE_ROWS && searchedUntil !== null;
  const status = searchedUntil === null ? texts.loading : texts.searchedUntil(time(searchedUntil));
  return (
    <p class="quiet" role="status">
      {isSearching ? `${status} ${searchedUntil === null ? '' : texts.searching}` : isShort ? status : ''}
    </p>
  );
}

function FilterForm({ filters, owners }: { filters: Filters; owners: Owners | undefined }) {
  const { texts } = useConsole();
  const [typed, setTyped] = useState(filters);
  const put = (name: keyof Filters) => (value: string) => setTyped({ ...typed, [name]: value.trim() });
  const statuses = requestStatusNames.map((name) => [name, texts.statuses[name]] as const);
  const keys = (owners?.keys ?? []).map(({ hash, name }) => [hash, name] as const);
  const workspaces = (owners?.workspaces ?? []).map(({ id, name }) => [id, name] as const);
  const members = [...new Set((owners?.members ?? []).map(({ id }) => id))];
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = hashOf('generations', undefined, typed);
      }}
    >
      <ChoiceField
        label={texts.workspace}
        value={typed.workspace}
        choices={[['', texts.any], ...workspaces, ...unlisted(typed.workspace, workspaces)]}
        onChange={put('workspace')}
      />
      <ChoiceField
        label={texts.key}
        value={typed.key}
        choices={[['', texts.any], ...keys, ...unlisted(typed.key, keys)]}
        onChange={put('key')}
      />
      <TextField label={texts.member} value={typed.member} onInput={put('member')} suggestions={members} />
      <TextField label={texts.model} value={typed.model} onInput={put('model')} />
      <TextField label={texts.tag} value={typed.tag} onInput={put('tag')} placeholder="project:lake" />
      <ChoiceField
        label={texts.status}
        value={typed.status}
        choices={[['', texts.any], ...statuses]}
        onChange={put('status')}
      />
      <TextField label={texts.fromDay} value={typed.from} type="date" onInput={put('from')} />
      <TextField label={texts.toDay} value={typed.to} type="date" onInput={put('to')} />
      <button type="submit">{texts.filter}</button>
    </form>
  );
}

type Choice = readonly [value: string, name: string];

/** Returns the selected value as a choice if the choices lack it, for example because the key was deleted. */
function unlisted(value: string, choices: readonly Choice[]): Choice[] {
  const isListed = value === '' || choices.some(([known]) => known === value);
  return isListed ? [] : [[value, `${value.slice(0, 12)}…`]];
}
