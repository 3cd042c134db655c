import { useConsole } from '../../environment.ts';
import { Copyable } from '../../parts/copyable.tsx';

/** Shows the secret of a key, which the gateway never shows again. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { texts } = useConsole();
  return (
    <>
      <p class="notice warning" role="status">
        {texts.secretOnce}
      </p>
      <Copyable text={secret} label={texts.secret} />
      <p class="actions">
        <button type="button" class="main" onClick={onClose}>
          {texts.secretKept}
        </button>
      </p>
    </>
  );
}
