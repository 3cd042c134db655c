import { useState } from 'preact/hooks';
import { useConsole } from '../../environment.ts';
import { typedMoney } from '../../exact-numbers.ts';
import { changeNameAfter, newChangeName } from '../../change-name.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/notice.tsx';

interface InferenceKeyProps {
  keyInUse: string | undefined;
  onKey: (key: string | undefined) => void;
}

/** Shows the key that pays for playground requests; the user pastes it, or creates it with a limit. */
export function InferenceKey({ keyInUse, onKey }: InferenceKeyProps) {
  const { texts, client } = useConsole();
  const [pasted, setPasted] = useState('');
  const [limit, setLimit] = useState('100');
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  // A retry after a lost response has the same idempotency key, so it returns the same API key.
  const [once, setOnce] = useState(newChangeName);
  const amount = typedMoney(limit);
  if (keyInUse !== undefined) {
    return (
      <p class="actions">
        <span>
          {texts.spendsWith} <code>{`${keyInUse.slice(0, 12)}…${keyInUse.slice(-4)}`}</code>
        </span>
        <button type="button" onClick={() => onKey(undefined)}>
          {texts.otherKey}
        </button>
      </p>
    );
  }
  const create = async () => {
    setIsBusy(true);
    try {
      const body = { name: texts.playgroundKeyName, limit: amount };
      onKey((await client.change<{ key: string }>('POST', '/keys', { body, once })).body.key);
      setFailure(undefined);
      setOnce(newChangeName());
    } catch (error) {
      setFailure(error);
      setOnce(changeNameAfter(error, once));
    }
    setIsBusy(false);
  };
  return (
    <section>
      <p>{texts.needsInferenceKey}</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          onKey(pasted.trim());
        }}
      >
        <TextField label={texts.inferenceKey} type="password" value={pasted} onInput={setPasted} isRequired />
        <button type="submit">{texts.useKey}</button>
      </form>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (amount) void create();
        }}
      >
        <AmountField label={texts.limitInRub} value={limit} onInput={setLimit} isRequired />
        <button type="submit" disabled={isBusy}>
          {texts.createWithLimit}
        </button>
      </form>
      <Failure failure={failure} />
      <p class="quiet">{texts.keyStaysInTab}</p>
    </section>
  );
}
