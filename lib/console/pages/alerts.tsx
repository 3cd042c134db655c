import { useState } from 'preact/hooks';
import type { DataOf, ShownAlerts, ShownDelivery } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { useLoaded } from '../loaded.ts';
import { AmountField } from '../parts/amount-field.tsx';
import { ConflictNotice } from '../parts/conflict-notice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { Failure, WhenLoaded } from '../parts/notice.tsx';
import { alertsBodyOf, isSameForForm, typedFromAlerts, type TypedAlerts } from '../typed-alerts.ts';
import { useVersioned, useVersionedSave, type Versioned } from '../versioned.ts';

const DELIVERIES_REFRESH_MS = 10_000;

/** Page with the alert settings of the account and the deliveries. */
export function AlertsPage() {
  const { texts } = useConsole();
  const { loaded, readAgain } = useVersioned<ShownAlerts>('/alerts');
  return (
    <>
      <h1>{texts.pages.alerts}</h1>
      <p class="quiet">{texts.alertsHint}</p>
      <WhenLoaded of={loaded}>
        {(found) => <AlertsForm key={found.etag} found={found} readAgain={readAgain} onSaved={() => loaded.reload()} />}
      </WhenLoaded>
      <Deliveries />
    </>
  );
}

interface AlertsFormProps {
  found: Versioned<ShownAlerts>;
  readAgain: () => Promise<Versioned<ShownAlerts>>;
  onSaved: () => void;
}

function AlertsForm({ found, readAgain, onSaved }: AlertsFormProps) {
  const { texts, client } = useConsole();
  const [typed, setTyped] = useState(typedFromAlerts(found.value));
  const { theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch, stored) => {
      await client.change('PUT', '/alerts', { body: alertsBodyOf(typed, stored), ifMatch });
      onSaved();
    },
    isSame: (before, now) => isSameForForm(typed, before, now),
  });
  const put = (name: keyof TypedAlerts) => (value: string) => setTyped({ ...typed, [name]: value });
  const labels: Record<keyof TypedAlerts, string> = {
    thresholds: texts.thresholds,
    webhook_url: texts.webhookUrl,
    format: texts.alertFormat,
    chat_id: texts.telegramChat,
    email: texts.email,
    low_balance_rub: texts.lowBalance,
  };
  const differences = theirs && alertDifferences(labels, theirs, typed);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (alertsBodyOf(typed, found.value)) void submit();
      }}
    >
      {differences && <ConflictNotice differences={differences} />}
      <TextField
        label={labels.thresholds}
        value={typed.thresholds}
        onInput={put('thresholds')}
        hint={texts.thresholdsHint}
      />
      <TextField label={labels.webhook_url} value={typed.webhook_url} onInput={put('webhook_url')} />
      <ChoiceField
        label={labels.format}
        value={typed.format}
        choices={[
          ['standard', 'Standard Webhooks'],
          ['slack', 'Slack'],
          ['telegram', 'Telegram'],
        ]}
        onChange={put('format')}
      />
      {typed.format === 'telegram' && (
        <TextField label={labels.chat_id} value={typed.chat_id} onInput={put('chat_id')} isRequired />
      )}
      <TextField label={labels.email} value={typed.email} onInput={put('email')} hint={texts.emailHint} />
      <AmountField
        label={labels.low_balance_rub}
        value={typed.low_balance_rub}
        onInput={put('low_balance_rub')}
        hint={texts.lowBalanceHint}
      />
      <button type="submit" disabled={isBusy}>
        {texts.save}
      </button>
      <Failure failure={failure} />
    </form>
  );
}

function alertDifferences(labels: Record<keyof TypedAlerts, string>, theirs: ShownAlerts, mine: TypedAlerts) {
  const others = typedFromAlerts(theirs);
  const percent = theirs.low_balance_percent;
  const shown = percent === null ? others : { ...others, low_balance_rub: `${percent} %` };
  const names = Object.keys(labels) as (keyof TypedAlerts)[];
  return names
    .filter((name) => others[name] !== mine[name])
    .map((name) => ({ name: labels[name], theirs: shown[name], mine: mine[name] }));
}

function Deliveries() {
  const { texts, client } = useConsole();
  const { time } = useFormats();
  const deliveries = useLoaded(
    async (signal) => (await client.read<DataOf<ShownDelivery[]>>('/alerts/deliveries', signal)).body.data,
    [client],
    DELIVERIES_REFRESH_MS,
  );
  return (
    <section>
      <h2>{texts.deliveries}</h2>
      <WhenLoaded of={deliveries}>
        {(found) => (
          <DataTable
            caption={texts.deliveries}
            rows={found}
            rowKey={({ id }) => id}
            empty={texts.noDeliveries}
            columns={[
              { title: texts.noticeText, cell: ({ text }) => text.split('\n', 1)[0] },
              { title: texts.time, cell: ({ created_at }) => time(created_at) },
              { title: texts.channel, cell: ({ channel }) => texts.channels[channel] },
              { title: texts.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
            ]}
          />
        )}
      </WhenLoaded>
    </section>
  );
}

const stateLooks: Record<ShownDelivery['state'], string> = {
  delivered: 'good',
  pending: '',
  refused: 'bad',
  dead: 'bad',
};

function DeliveryStatus({ delivery: { state, reason, attempts } }: { delivery: ShownDelivery }) {
  const { texts } = useConsole();
  return (
    <>
      <span class={`badge ${stateLooks[state]}`}>{texts.deliveryStates[state]}</span>
      {state !== 'delivered' && reason !== null && (
        <>
          {' '}
          <small class="quiet">
            {reason} · {texts.attemptCount(attempts)}
          </small>
        </>
      )}
    </>
  );
}
