import type { ShownRequest } from '../../answers.ts';
import { useConsole } from '../../environment.ts';

/** Why a request was refused, and what helps. */
export function RefusalExplanation({ request: { refusal } }: { request: ShownRequest }) {
  const { texts } = useConsole();
  if (refusal === null) return null;
  const { status, error_type, field, limit_source } = refusal;
  return (
    <section class="notice bad">
      <h2>{texts.whyRefused}</h2>
      <p>{texts.refusals[error_type] ?? error_type}</p>
      <ul>
        <li>
          HTTP {status}, <code>{error_type}</code>
        </li>
        {field !== null && (
          <li>
            {texts.fieldAtFault}: <code>{field}</code>
          </li>
        )}
        {limit_source !== null && (
          <li>
            {texts.limitAtFault}: {texts.limitSources[limit_source] ?? limit_source}
          </li>
        )}
      </ul>
      <p>{texts.refusedCostsNothing}</p>
    </section>
  );
}
