import { intervals, windowEnd, type Interval } from '../../../../lambdas/money/periods.ts';
import type { DataOf, ShownKey, ShownRequest } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf } from '../../exact-numbers.ts';
import { budgetsOfMemberHash, hashOf } from '../../hash-route.ts';
import { useLoaded } from '../../loaded.ts';
import { FactList } from '../../parts/fact-list.tsx';

/** Explains why a request was rejected, and how to fix the cause. */
export function RefusalExplanation({ request }: { request: ShownRequest }) {
  const { texts } = useConsole();
  const { refusal } = request;
  if (refusal === null) return null;
  const { status, error_type, field, limit_source, amounts } = refusal;
  const limit = limit_source === null ? undefined : (texts.limitSources[limit_source] ?? limit_source);
  const place = limit_source === null ? undefined : limitPlace(limit_source, request);
  return (
    <section class="notice bad">
      <h2>{texts.whyRefused}</h2>
      {amounts === null ? (
        <p>{texts.refusals[error_type] ?? error_type}</p>
      ) : (
        <Shortfall amounts={amounts} limit={limit} request={request} />
      )}
      <ul>
        <li>
          HTTP {status}, <code>{error_type}</code>
        </li>
        {field !== null && (
          <li>
            {texts.fieldAtFault}: <code>{field}</code>
          </li>
        )}
        {limit !== undefined && (
          <li>
            {texts.limitAtFault}: {place === undefined ? limit : <a href={place}>{limit}</a>}
            {limit_source === 'key_limit' && <KeyLimitNow hash={request.api_key_hash} />}
          </li>
        )}
      </ul>
      {amounts !== null && <AmountsThen amounts={amounts} />}
      <p>{texts.refusedCostsNothing}</p>
    </section>
  );
}

type Amounts = NonNullable<NonNullable<ShownRequest['refusal']>['amounts']>;

/**
 * Shows by how much a request exceeded a limit, and what helps. Waiting helps only if the whole limit is at least the
 * required amount.
 */
function Shortfall({
  amounts,
  limit,
  request,
}: {
  amounts: Amounts;
  limit: string | undefined;
  request: ShownRequest;
}) {
  const { texts } = useConsole();
  const { rub, time } = useFormats();
  const { interval, limit_rub, remaining_rub, required_rub } = amounts;
  const [required, left, whole] = [moneyOf(required_rub), moneyOf(remaining_rub), moneyOf(limit_rub)];
  const endsAtMs = isInterval(interval) ? windowEnd(interval, Date.parse(request.created_at)) : null;
  const helps = required.exceeds(whole)
    ? texts.exceedsWholeLimit
    : endsAtMs === null
      ? texts.raiseOrRequestLess
      : texts.raiseOrWait(time(endsAtMs));
  return (
    <>
      <p>
        <strong>
          {texts.shortfall({ limit, required: rub(required), left: rub(left), short: rub(required.minus(left)) })}
        </strong>
      </p>
      <p>{helps}</p>
    </>
  );
}

/** Shows the limit at the time of the refusal. */
function AmountsThen({ amounts }: { amounts: Amounts }) {
  const { texts } = useConsole();
  const { rub } = useFormats();
  const { interval, limit_rub, spend_rub, held_rub, remaining_rub, required_rub } = amounts;
  const rows = [
    [texts.maxCost, required_rub],
    [`${texts.limit}, ${texts.intervals[interval] ?? interval}`, limit_rub],
    [texts.spent, spend_rub],
    [texts.held, held_rub],
    [texts.left, remaining_rub],
  ] as const;
  return (
    <>
      <h3>{texts.whenRefused}</h3>
      <FactList facts={rows.map(([title, amount]) => [title, rub(amount)])} />
    </>
  );
}

/** Returns the page that shows a limit; undefined for limits without such a page. */
function limitPlace(source: string, { workspace_id, user_id }: ShownRequest): string | undefined {
  switch (source) {
    case 'key_limit':
      return hashOf('keys', undefined, { workspace: workspace_id });
    case 'workspace_budget':
      return hashOf('workspaces', workspace_id);
    case 'member_budget':
      return user_id === null ? undefined : budgetsOfMemberHash(user_id, workspace_id);
    case 'account_balance':
    case 'account_limit':
      return hashOf('overview');
    default:
      return undefined;
  }
}

/** Shows the current limit of a key, if there is one. */
function KeyLimitNow({ hash }: { hash: string }) {
  const { texts, client } = useConsole();
  const { rub } = useFormats();
  const key = useLoaded(
    async (signal) => (await client.read<DataOf<ShownKey>>(`/keys/${hash}`, signal)).body.data,
    [client, hash],
  );
  if (key.value === undefined || key.value.limit === null) return null;
  const { name, limit, limit_reset, limit_remaining } = key.value;
  const period = texts.intervals[limit_reset ?? 'lifetime'] ?? limit_reset;
  return (
    <>
      {' '}
      “{name}”, {rub(limit)} {period}. {texts.leftNow}: {rub(limit_remaining)}
    </>
  );
}

function isInterval(name: string): name is Interval {
  return intervals.some((interval) => interval === name);
}
