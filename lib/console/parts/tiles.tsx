import { useFormats } from '../environment.ts';
import type { ExactNumber } from '../exact-numbers.ts';

export function Tiles({ figures }: { figures: readonly (readonly [name: string, amount: ExactNumber])[] }) {
  const { rub } = useFormats();
  return (
    <dl class="tiles">
      {figures.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{rub(amount)}</dd>
        </div>
      ))}
    </dl>
  );
}
