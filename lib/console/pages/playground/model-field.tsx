import { useId } from 'preact/hooks';
import type { ShownModel } from '../../answers.ts';
import { useConsole } from '../../environment.ts';

/** Accepts any name, and suggests callable models. */
export function ModelField({
  model,
  models,
  onInput,
}: {
  model: string;
  models: ShownModel[] | undefined;
  onInput: (id: string) => void;
}) {
  const { texts } = useConsole();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{texts.model}</label>
      <input
        id={id}
        list={`${id}-models`}
        value={model}
        required
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <datalist id={`${id}-models`}>
        {models?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      {models?.length === 0 && <small>{texts.noCallableModel}</small>}
    </div>
  );
}
