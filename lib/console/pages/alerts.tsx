import { useState } from 'preact/hooks';
import type { DataOf, ShownAlerts, ShownDelivery } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { typedMoney } from '../exact-numbers.ts';
import { useLoaded } from '../loaded.ts';
import { ConflictNotice } from '../parts/conflict-notice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { Failure, WhenLoaded } from '../parts/notice.tsx';
import { useVersioned, useVersionedSave, type Versioned } from '../versioned.ts';

const DELIVERIES_REFRESH_MS = 10_000;

/** Page of alerts: the settings of the account, and the deliveries of notices. */
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

/** Texts of the form's fields, as typed. */
interface TypedAlerts {
  thresholds: string;
  webhook_url: string;
  format: ShownAlerts['format'];
  chat_id: string;
  email: string;
  low_balance_rub: string;
}

function typedOf(settings: ShownAlerts): TypedAlerts {
  return {
    thresholds: settings.thresholds.join(', '),
    webhook_url: settings.webhook_url ?? '',
    format: settings.format,
    chat_id: settings.chat_id ?? '',
    email: settings.email ?? '',
    low_balance_rub: settings.low_balance_rub === null ? '' : String(settings.low_balance_rub),
  };
}

/** Returns the body for the typed settings; a percentage of the last payment, which the form does not show, is kept. */
function alertsBodyOf(typed: TypedAlerts, percent: number | null) {
  const amount = typedMoney(typed.low_balance_rub);
  const isTelegram = typed.format === 'telegram';
  return {
    thresholds: typed.thresholds.split(/[\s,]+/).flatMap((text) => (text === '' ? [] : Number(text))),
    webhook_url: typed.webhook_url.trim() || null,
    format: typed.format,
    chat_id: isTelegram ? typed.chat_id.trim() || null : null,
    email: typed.email.trim() || null,
    ...(amount === undefined ? { low_balance_percent: percent } : { low_balance_rub: amount }),
  };
}

interface AlertsFormProps {
  found: Versioned<ShownAlerts>;
  readAgain: () => Promise<Versioned<ShownAlerts>>;
  onSaved: () => void;
}

function AlertsForm({ found, readAgain, onSaved }: AlertsFormProps) {
  const { texts, client } = useConsole();
  const [typed, setTyped] = useState(typedOf(found.value));
  const { theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch) => {
      await client.change('PUT', '/alerts', { body: alertsBodyOf(typed, found.value.low_balance_percent), ifMatch });
      onSaved();
    },
    isSame: (before, now) => JSON.stringify(typedOf(before)) === JSON.stringify(typedOf(now)),
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
  const differences = theirs && alertDifferences(labels, typedOf(theirs), typed);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
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
      <TextField
        label={labels.low_balance_rub}
        value={typed.low_balance_rub}
        onInput={put('low_balance_rub')}
        hint={texts.lowBalanceHint}
        isAmount
      />
      <button type="submit" disabled={isBusy}>
        {texts.save}
      </button>
      <Failure failure={failure} />
    </form>
  );
}

function alertDifferences(labels: Record<keyof TypedAlerts, string>, theirs: TypedAlerts, mine: TypedAlerts) {
  const names = Object.keys(labels) as (keyof TypedAlerts)[];
  return names
    .filter((name) => theirs[name] !== mine[name])
    .map((name) => ({ name: labels[name], theirs: theirs[name], mine: mine[name] }));
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
