import type { ShownRecord } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { failureClass } from '../../failure-class.ts';

type Attempts = NonNullable<ShownRecord['generation']>['provider_responses'];

/** Explains the failure of the last provider, and how to fix it. */
export function FailureExplanation({ attempts }: { attempts: Attempts }) {
  const { texts } = useConsole();
  const last = attempts.at(-1);
  // The gateway stopped an aborted attempt, for example because the client disconnected.
  if (!last?.failure || last.failure === 'aborted') return null;
  return (
    <section class="notice bad">
      <h2>{texts.whyFailed}</h2>
      <p>{texts.failures[failureClass(last.failure)]}</p>
      <ul>
        <li>
          {last.provider_name}: {last.status === null ? texts.noStatus : `HTTP ${last.status}`},{' '}
          <code>{last.failure}</code>
        </li>
      </ul>
    </section>
  );
}
