import { useState } from 'preact/hooks';
import type { DataOf, ShownTagBudget, ShownTagSettings } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { typedMoney } from '../exact-numbers.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { AmountField } from '../parts/amount-field.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { Failure, WhenLoaded } from '../parts/notice.tsx';
import { useVersioned, useVersionedSave, type Versioned } from '../versioned.ts';

/** Page of the tags by which spending is split, and of tag budgets. */
export function TagsPage() {
  const { texts } = useConsole();
  const { loaded, readAgain } = useVersioned<ShownTagSettings>('/tags');
  return (
    <>
      <h1>{texts.pages.tags}</h1>
      <p class="quiet">{texts.tagsHint}</p>
      <WhenLoaded of={loaded}>
        {(found) => (
          <ReportedTags key={found.etag} found={found} readAgain={readAgain} onSaved={() => loaded.reload()} />
        )}
      </WhenLoaded>
      <TagBudgets />
    </>
  );
}

interface ReportedTagsProps {
  found: Versioned<ShownTagSettings>;
  readAgain: () => Promise<Versioned<ShownTagSettings>>;
  onSaved: () => void;
}

function ReportedTags({ found, readAgain, onSaved }: ReportedTagsProps) {
  const { texts, client } = useConsole();
  const [names, setNames] = useState(found.value.reported.join(', '));
  const { theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch) => {
      await client.change('PUT', '/tags', { body: { reported: namesIn(names) }, ifMatch });
      onSaved();
    },
    isSame: (before, now) => before.reported.join() === now.reported.join(),
  });
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label={texts.reportedTags}
        value={names}
        onInput={setNames}
        hint={theirs ? `${texts.theirs}: ${theirs.reported.join(', ')}` : texts.reportedTagsHint}
      />
      <button type="submit" disabled={isBusy}>
        {texts.save}
      </button>
      <Failure failure={failure} />
    </form>
  );
}

function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

function TagBudgets() {
  const { texts, client } = useConsole();
  const budgets = useLoaded(
    async (signal) => (await client.read<DataOf<ShownTagBudget[]>>('/tags/budgets', signal)).body.data,
    [client],
  );
  return (
    <section>
      <h2>{texts.budgetsOfTags}</h2>
      <WhenLoaded of={budgets}>{(found) => <BudgetTable budgets={found} onChanged={budgets.reload} />}</WhenLoaded>
      <NewBudget onSaved={budgets.reload} />
    </section>
  );
}

function BudgetTable({ budgets, onChanged }: { budgets: ShownTagBudget[]; onChanged: () => void }) {
  const { texts, client } = useConsole();
  const { rub } = useFormats();
  const [failure, setFailure] = useState<unknown>();
  const remove = async ({ name, value, interval }: ShownTagBudget) => {
    try {
      await client.change('PUT', '/tags/budgets', { body: { name, value, interval, limit_rub: null } });
      onChanged();
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <DataTable
        caption={texts.budgetsOfTags}
        rows={budgets}
        rowKey={({ name, value, interval }) => `${name}=${value} ${interval}`}
        empty={texts.noTagBudgets}
        columns={[
          {
            title: texts.tag,
            cell: ({ name, value }) => (
              <a href={hashOf('generations', undefined, { tag: `${name}:${value}` })}>{`${name}=${value}`}</a>
            ),
          },
          { title: texts.period, cell: ({ interval }) => texts.intervals[interval] ?? interval },
          { title: texts.limit, isFigure: true, cell: ({ limit_rub }) => rub(limit_rub) },
          { title: texts.spent, isFigure: true, cell: ({ spend_rub }) => rub(spend_rub) },
          { title: texts.left, isFigure: true, cell: ({ remaining_rub }) => rub(remaining_rub) },
          {
            title: texts.actions,
            cell: (budget) => (
              <button
                type="button"
                class="plain"
                aria-label={`${texts.remove}: ${budget.name}=${budget.value}`}
                onClick={() => void remove(budget)}
              >
                {texts.remove}
              </button>
            ),
          },
        ]}
      />
      <Failure failure={failure} />
    </>
  );
}

const budgetPeriods = ['daily', 'weekly', 'monthly', 'lifetime'] as const;

function NewBudget({ onSaved }: { onSaved: () => void }) {
  const { texts, client } = useConsole();
  const [tag, setTag] = useState({ name: '', value: '' });
  const [interval, setInterval] = useState<string>('monthly');
  const [limit, setLimit] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const amount = typedMoney(limit);
  const save = async () => {
    setFailure(undefined);
    try {
      await client.change('PUT', '/tags/budgets', { body: { ...tag, interval, limit_rub: amount } });
      setLimit('');
      onSaved();
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (amount) void save();
      }}
    >
      <TextField label={texts.tag} value={tag.name} onInput={(name) => setTag({ ...tag, name })} isRequired />
      <TextField label={texts.value} value={tag.value} onInput={(value) => setTag({ ...tag, value })} isRequired />
      <ChoiceField
        label={texts.period}
        value={interval}
        choices={budgetPeriods.map((period) => [period, texts.intervals[period] ?? period] as const)}
        onChange={setInterval}
      />
      <AmountField label={`${texts.limit}, ₽`} value={limit} onInput={setLimit} isRequired />
      <button type="submit">{texts.setBudget}</button>
      <Failure failure={failure} />
    </form>
  );
}
