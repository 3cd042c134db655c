import type { ShownRequest } from '../answers.ts';
import { useConsole } from '../environment.ts';

const looks: Record<ShownRequest['status'], string> = {
  pending: 'going',
  complete: 'good',
  out_of_money: 'warning',
  refused_before: 'bad',
  broke_off: 'bad',
  client_left: 'warning',
  out_of_time: 'bad',
  refused: 'bad',
};

/** Shows the status of a request, and the HTTP status and exceeded limit of a refusal. */
export function StatusBadge({ request: { status, refusal } }: { request: Pick<ShownRequest, 'status' | 'refusal'> }) {
  const { texts } = useConsole();
  const limit = refusal?.limit_source ?? null;
  const text =
    texts.statuses[status] +
    (refusal === null ? '' : ` ${refusal.status}`) +
    (limit === null ? '' : `: ${texts.limitSources[limit] ?? limit}`);
  return (
    <span class={`badge ${looks[status]}`} title={text}>
      {text}
    </span>
  );
}
