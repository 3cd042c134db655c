import { useState } from 'preact/hooks';
import type { ShownBudget } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { isWrongAmount, moneyOf, typedMoney } from '../../exact-numbers.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { ConflictNotice } from '../../parts/conflict-notice.tsx';
import { Failure, WhenLoaded } from '../../parts/notice.tsx';
import { useVersioned, useVersionedSave, type Versioned } from '../../versioned.ts';

const intervals = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
type BudgetInterval = (typeof intervals)[number];

type Budgets = Versioned<ShownBudget[]>;

/**
 * Form for the budgets of a workspace or member, one per period; an empty field means no limit.
 * @param path path of the budgets
 */
export function BudgetEditor({ path, title }: { path: string; title: string }) {
  const { loaded, readAgain } = useVersioned<ShownBudget[]>(path);
  return (
    <section>
      <h2>{title}</h2>
      <WhenLoaded of={loaded}>
        {(found) =>
          intervals.map((interval) => (
            <BudgetForm
              // Only a form whose limit has changed is drawn anew, so other forms keep typed limits.
              key={`${interval} ${limitOf(interval, found.value)}`}
              path={`${path}/${interval}`}
              interval={interval}
              found={found}
              readAgain={readAgain}
              onSaved={loaded.reload}
            />
          ))
        }
      </WhenLoaded>
    </section>
  );
}

interface BudgetFormProps {
  path: string;
  interval: BudgetInterval;
  found: Budgets;
  readAgain: () => Promise<Budgets>;
  onSaved: () => void;
}

function BudgetForm({ path, interval, found, readAgain, onSaved }: BudgetFormProps) {
  const { texts, client } = useConsole();
  const { rub } = useFormats();
  const limitIn = (budgets: ShownBudget[]) => limitOf(interval, budgets);
  const [limit, setLimit] = useState(limitIn(found.value));
  const amount = typedMoney(limit);
  const { base, theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch) => {
      if (amount) await client.change('PUT', path, { body: { limit_rub: amount }, ifMatch });
      else await client.change('DELETE', path, { ifMatch });
      onSaved();
    },
    isSame: (before, now) => limitIn(before) === limitIn(now),
  });
  const budget = base.find((one) => one.interval === interval);
  const name = texts.intervals[interval] ?? interval;
  return (
    <form
      class="filters budget"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrongAmount(limit)) void submit();
      }}
    >
      {theirs && <ConflictNotice differences={[{ name, theirs: limitIn(theirs), mine: limit }]} />}
      <AmountField label={`${name}, ₽`} value={limit} onInput={setLimit} />
      <button type="submit" disabled={isBusy || isSame(limit, limitIn(base))} aria-label={`${texts.save}: ${name}`}>
        {texts.save}
      </button>
      {budget && (
        <span class="quiet">
          {texts.spent}: {rub(budget.spend_rub)} · {texts.left}: {rub(budget.remaining_rub)}
        </span>
      )}
      <Failure failure={failure} />
    </form>
  );
}

function limitOf(interval: BudgetInterval, budgets: ShownBudget[]): string {
  return budgets.find((budget) => budget.interval === interval)?.limit_rub ?? '';
}

function isSame(typed: string, limit: string): boolean {
  const amount = typedMoney(typed);
  if (amount === undefined || limit === '') return typed.trim() === limit;
  return amount.equals(moneyOf(limit));
}
