import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string | undefined;
  type?: 'text' | 'password' | 'date' | 'datetime-local' | 'search';
  isRequired?: boolean;
  isAmount?: boolean;
  rows?: number;
  suggestions?: readonly string[];
  placeholder?: string;
}

export function TextField({
  label,
  value,
  onInput,
  hint,
  type = 'text',
  isRequired,
  isAmount,
  rows,
  suggestions,
  placeholder,
}: TextFieldProps) {
  const id = useId();
  // Preact's types distinguish inputs by their ARIA role, which this input does not set.
  const kind = { type } as { type: 'text' };
  const shared = {
    id,
    value,
    placeholder,
    required: isRequired ?? false,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    spellcheck: false,
    autocomplete: 'off' as const,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          {...kind}
          list={suggestions === undefined ? undefined : `${id}-suggestions`}
          inputMode={isAmount ? 'decimal' : undefined}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

export function ChoiceField({ label, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SwitchProps {
  label: ComponentChildren;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
}

export function SwitchField({ label, isOn, onChange, isDisabled }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled ?? false}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
