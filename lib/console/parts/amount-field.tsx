import { useConsole } from '../environment.ts';
import { isWrongAmount } from '../exact-numbers.ts';
import { TextField } from './fields.tsx';

interface AmountFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string | undefined;
  isRequired?: boolean;
}

/** Input of an amount in rubles. */
export function AmountField({ hint, ...field }: AmountFieldProps) {
  const { texts } = useConsole();
  return <TextField {...field} hint={isWrongAmount(field.value) ? texts.notAnAmount : hint} isAmount />;
}
