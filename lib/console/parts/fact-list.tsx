import type { ComponentChildren } from 'preact';

interface FactListProps {
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** Shows named values, in columns if the page is wide enough. */
export function FactList({ facts }: FactListProps) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
