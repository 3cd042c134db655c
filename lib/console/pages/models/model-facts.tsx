import type { ShownModel } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf } from '../../exact-numbers.ts';

const MILLION = 1_000_000;

export function Availability({ model: { available, unavailable_reason } }: { model: ShownModel }) {
  const { texts } = useConsole();
  if (available === null) return <span class="badge">{texts.notKnown}</span>;
  if (available) return <span class="badge good">{texts.yes}</span>;
  return (
    <>
      <span class="badge bad">{texts.no}</span> <small>{unavailable_reason}</small>
    </>
  );
}

/** Shows the exact price of a million tokens. */
export function MillionPrice({ price }: { price: string | undefined }) {
  const { rub } = useFormats();
  return <>{price === undefined ? '—' : rub(moneyOf(price).times(MILLION))}</>;
}
