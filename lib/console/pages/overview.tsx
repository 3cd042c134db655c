import type { AccountData } from '../account.ts';
import { ACCOUNT_REFRESH_MS, readAccountData } from '../account-data.ts';
import { useConsole } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { WhenLoaded } from '../parts/notice.tsx';
import { Tiles } from '../parts/tiles.tsx';
import { LimitsTable } from './overview/limits-table.tsx';
import { ModelsTable } from './overview/models-table.tsx';
import { SpendingDays } from './overview/spending-days.tsx';
import { SpendingNow } from './overview/spending-table.tsx';

export function OverviewPage() {
  const { texts, client } = useConsole();
  const account = useLoaded((signal) => readAccountData(client, signal), [client], ACCOUNT_REFRESH_MS);
  return (
    <>
      <h1>{texts.pages.overview}</h1>
      <WhenLoaded of={account}>
        {(data) => (
          <>
            <Totals data={data} />
            {data.isPartial && (
              <p class="notice">
                {texts.partial} <a href={hashOf('workspaces')}>{texts.pages.workspaces}</a>
              </p>
            )}
            <LimitsTable data={data} />
            <ModelsTable data={data} />
            <SpendingDays data={data} />
            <SpendingNow data={data} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Totals({ data: { credits } }: { data: AccountData }) {
  const { texts } = useConsole();
  const figures = [
    [texts.today, credits.usage_daily],
    [texts.thisWeek, credits.usage_weekly],
    [texts.thisMonth, credits.usage_monthly],
    [texts.heldNow, credits.held],
    ...(credits.balance === null ? [] : ([[texts.balance, credits.balance]] as const)),
  ] as const;
  return <Tiles figures={figures} />;
}
