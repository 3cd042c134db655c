import { useState } from 'preact/hooks';
import type { ShownKey } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { changeNameAfter, newChangeName } from '../../change-name.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ChoiceField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/notice.tsx';
import { ShownSecret } from './shown-secret.tsx';

interface RotateKeyProps {
  shown: ShownKey;
  onClose: () => void;
  onRotated: () => void;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Dialog that replaces the secret of a key, and shows the new secret once. */
export function RotateKey({ shown: { hash, name }, onClose, onRotated }: RotateKeyProps) {
  const { texts, client } = useConsole();
  const [overlap, setOverlap] = useState(String(DAY_SECONDS));
  const [failure, setFailure] = useState<unknown>();
  const [secret, setSecret] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  // A retry after a lost response has the same idempotency key, so it returns the same secret.
  const [once, setOnce] = useState(newChangeName);
  const rotate = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const body = { expires_old_in_seconds: Number(overlap) };
      const { body: made } = await client.change<{ key: string }>('POST', `/keys/${hash}/rotate`, { body, once });
      setSecret(made.key);
      onRotated();
    } catch (error) {
      setFailure(error);
      setOnce(changeNameAfter(error, once));
    }
    setIsBusy(false);
  };
  return (
    <Dialog title={`${texts.newSecret}: ${name}`} onClose={onClose}>
      {secret === undefined ? (
        <form onSubmit={(event) => void rotate(event)}>
          <ChoiceField
            label={texts.oldSecretWorks}
            value={overlap}
            choices={[
              ['0', texts.notAnyMore],
              [String(HOUR_SECONDS), texts.oneHour],
              [String(DAY_SECONDS), texts.oneDay],
            ]}
            onChange={setOverlap}
          />
          <Failure failure={failure} />
          <button type="submit" class="main" disabled={isBusy}>
            {texts.create}
          </button>
        </form>
      ) : (
        <ShownSecret secret={secret} onClose={onClose} />
      )}
    </Dialog>
  );
}
