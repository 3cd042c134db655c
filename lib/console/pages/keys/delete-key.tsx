import { useState } from 'preact/hooks';
import type { ShownKey } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { Confirmation } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/notice.tsx';

interface DeleteKeyProps {
  shown: ShownKey;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteKey({ shown: { hash, name }, onClose, onDeleted }: DeleteKeyProps) {
  const { texts, client } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  const remove = async () => {
    try {
      await client.change('DELETE', `/keys/${hash}`);
      onDeleted();
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Confirmation
      title={texts.deleteKey}
      question={texts.deleteKeyQuestion(name)}
      action={texts.remove}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <Failure failure={failure} />
    </Confirmation>
  );
}
