import type { Money } from '../../../../lambdas/money/money.ts';
import type { ShownKey } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { typedMoney } from '../../exact-numbers.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { ChoiceField, TextField } from '../../parts/fields.tsx';

/** Input of a key form as text, so that invalid input is kept. */
export interface TypedKey {
  name: string;
  limit: string;
  limit_reset: string;
  expires_at: string;
}

export const emptyTypedKey: TypedKey = { name: '', limit: '', limit_reset: '', expires_at: '' };

export function typedFromKey({ name, limit, limit_reset, expires_at }: ShownKey): TypedKey {
  return {
    name,
    limit: limit === null ? '' : String(limit),
    limit_reset: limit_reset ?? '',
    expires_at: expires_at === null ? '' : localTime(expires_at),
  };
}

/** Converts a time for the browser's time field, which needs local time without a time zone. */
function localTime(text: string): string {
  const at = new Date(text);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export interface KeySettingsBody {
  name: string;
  limit: Money | null;
  limit_reset: string | null;
  expires_at: string | null;
}

/** Converts the input of a key form; undefined if the limit is not a valid amount. */
export function keyBody({ name, limit, limit_reset, expires_at }: TypedKey): KeySettingsBody | undefined {
  const amount = limit.trim() === '' ? null : typedMoney(limit);
  if (amount === undefined) return undefined;
  return {
    name,
    limit: amount,
    limit_reset: limit_reset === '' ? null : limit_reset,
    expires_at: expires_at === '' ? null : new Date(expires_at).toISOString(),
  };
}

export function KeyFields({ typed, onChange }: { typed: TypedKey; onChange: (typed: TypedKey) => void }) {
  const { texts } = useConsole();
  const put = (name: keyof TypedKey) => (value: string) => onChange({ ...typed, [name]: value });
  const resets = ['daily', 'weekly', 'monthly'].map((name) => [name, texts.intervals[name] ?? name] as const);
  return (
    <>
      <TextField label={texts.name} value={typed.name} onInput={put('name')} isRequired />
      <AmountField label={texts.limitInRub} value={typed.limit} onInput={put('limit')} hint={texts.noLimitHint} />
      <ChoiceField
        label={texts.limitReset}
        value={typed.limit_reset}
        choices={[['', texts.never], ...resets]}
        onChange={put('limit_reset')}
      />
      <TextField
        label={texts.expires}
        type="datetime-local"
        value={typed.expires_at}
        onInput={put('expires_at')}
        hint={texts.expiresHint}
      />
    </>
  );
}
