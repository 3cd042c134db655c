import { useConsole } from '../environment.ts';

export interface Difference {
  name: string;
  theirs: string;
  mine: string;
}

/** Shows another person's changes next to the user's own values, which are kept. */
export function ConflictNotice({ differences }: { differences: Difference[] }) {
  const { texts } = useConsole();
  return (
    <div class="notice warning" role="alert">
      <p>{texts.changedByOthers}</p>
      <dl>
        {differences.map(({ name, theirs, mine }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {texts.theirs}: <strong>{theirs === '' ? '—' : theirs}</strong>, {texts.yours}:{' '}
              <strong>{mine === '' ? '—' : mine}</strong>
            </dd>
          </div>
        ))}
      </dl>
      <p>{texts.saveOverTheirs}</p>
    </div>
  );
}
