import type { DataOf, ShownKey, ShownRecord } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { apiBase } from '../gateway-client.ts';
import { hashOf, memberHash } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { Copyable } from '../parts/copyable.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { FailureExplanation } from './generation/failure-explanation.tsx';
import { PriceLines } from './generation/price-lines.tsx';
import { RefusalExplanation } from './generation/refusal-explanation.tsx';

const REFRESH_PENDING_MS = 2_000;

export function GenerationPage({ id }: { id: string }) {
  const { texts, client } = useConsole();
  const path = `/generations/${encodeURIComponent(id)}`;
  const record = useLoaded(
    async (signal) => (await client.read<DataOf<ShownRecord>>(path, signal)).body.data,
    [client, path],
    REFRESH_PENDING_MS,
    ({ request }) => request.status === 'pending',
  );
  return (
    <>
      <p>
        <a href={hashOf('generations')}>← {texts.pages.generations}</a>
      </p>
      <h1 class="id">{id}</h1>
      <WhenLoaded of={record}>{(value) => <RecordView record={value} />}</WhenLoaded>
      <h2>{texts.sameByCurl}</h2>
      <Copyable label="curl" text={`curl "${apiBase()}${path}" \\\n  -H "authorization: Bearer $MANAGEMENT_KEY"`} />
    </>
  );
}

function RecordView({ record }: { record: ShownRecord }) {
  const { texts } = useConsole();
  const { request, generation } = record;
  return (
    <>
      {request.refusal !== null && <RefusalExplanation request={request} />}
      {generation !== null && <FailureExplanation attempts={generation.provider_responses} />}
      <Facts record={record} />
      {request.status === 'pending' && <p class="notice">{texts.pendingHint}</p>}
      {generation !== null && (
        <>
          <PriceLines record={record} />
          <Attempts attempts={generation.provider_responses} />
        </>
      )}
    </>
  );
}

function Facts({ record: { request, generation, held_rub } }: { record: ShownRecord }) {
  const { texts } = useConsole();
  const { rub, count, time, duration } = useFormats();
  const facts = [
    [texts.status, <StatusBadge request={request} />],
    [texts.time, time(request.created_at)],
    [texts.model, request.model ?? '—'],
    [texts.provider, request.provider_name ?? '—'],
    [
      texts.key,
      <a href={hashOf('generations', undefined, { key: request.api_key_hash })}>
        <KeyName hash={request.api_key_hash} />
      </a>,
    ],
    [
      texts.member,
      request.user_id === null ? (
        '—'
      ) : (
        <a href={memberHash(request.user_id, request.workspace_id)}>{request.user_id}</a>
      ),
    ],
    [texts.cost, rub(request.total_cost)],
    [texts.heldFor, rub(held_rub)],
    ...(generation === null
      ? []
      : ([
          [texts.latency, duration(generation.latency)],
          [texts.overhead, duration(generation.overhead_ms)],
          [texts.providerTime, duration(generation.provider_ms)],
          [texts.generationTime, duration(generation.generation_time)],
          [texts.tokensRead, count(generation.tokens_prompt)],
          [texts.fromCache, count(generation.native_tokens_cached)],
          [texts.tokensWritten, count(generation.tokens_completion)],
          [texts.ofThinking, count(generation.native_tokens_reasoning)],
          [texts.finishReason, generation.native_finish_reason ?? '—'],
          ...(generation.left_out.length > 0 ? [[texts.leftOut, generation.left_out.join(', ')] as const] : []),
        ] as const)),
  ] as const;
  return <FactList facts={facts} />;
}

/** Shows the name of a key, or the beginning of its hash while the name is loading or if the key was deleted. */
function KeyName({ hash }: { hash: string }) {
  const { client } = useConsole();
  const key = useLoaded(
    async (signal) => (await client.read<DataOf<ShownKey>>(`/keys/${hash}`, signal)).body.data,
    [client, hash],
  );
  return <>{key.value?.name ?? hash.slice(0, 8)}</>;
}

function Attempts({ attempts }: { attempts: NonNullable<ShownRecord['generation']>['provider_responses'] }) {
  const { texts } = useConsole();
  const { rub, duration } = useFormats();
  return (
    <section>
      <h2>{texts.attempts}</h2>
      <DataTable
        caption={texts.attempts}
        rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
        rowKey={({ number }) => String(number)}
        columns={[
          { title: texts.number, cell: ({ number }) => number },
          { title: texts.provider, cell: ({ provider_name }) => provider_name },
          { title: texts.endpoint, cell: ({ endpoint_id }) => endpoint_id },
          { title: texts.httpStatus, cell: ({ status }) => status ?? texts.noStatus },
          { title: texts.failure, cell: ({ failure }) => failure ?? '—' },
          { title: texts.latency, isFigure: true, cell: ({ latency }) => duration(latency) },
          { title: texts.cost, isFigure: true, cell: ({ total_cost }) => rub(total_cost) },
        ]}
      />
    </section>
  );
}
