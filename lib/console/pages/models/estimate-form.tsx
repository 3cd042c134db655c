import { useState } from 'preact/hooks';
import type { DataOf, PromptEstimate } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { openClient } from '../../gateway-client.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/notice.tsx';
import { inferenceKeySlot } from '../../tab-memory.ts';

const PATH = '/messages/estimate';
/** Maximum number of additional models that the API accepts for one estimate. */
const MAX_OTHER_MODELS = 3;

/** Form that estimates the cost of a typed prompt on several models. */
export function EstimateForm({ models }: { models: string[] }) {
  const { texts } = useConsole();
  const [prompt, setPrompt] = useState('');
  const [maxTokens, setMaxTokens] = useState('1000');
  const [key, setKey] = useState(inferenceKeySlot.read() ?? '');
  const [estimate, setEstimate] = useState<PromptEstimate>();
  const [failure, setFailure] = useState<unknown>();
  const ask = async (event: Event) => {
    event.preventDefault();
    setFailure(undefined);
    try {
      const [model, ...others] = models;
      const body = {
        model,
        ...(others.length === 0 ? {} : { models: others.slice(0, MAX_OTHER_MODELS) }),
        max_tokens: Number(maxTokens),
        messages: [{ role: 'user', content: prompt }],
      };
      const answer = await openClient(key.trim()).change<DataOf<PromptEstimate>>('POST', PATH, { body });
      inferenceKeySlot.write(key.trim());
      setEstimate(answer.body.data);
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <section>
      <h2>{texts.estimate}</h2>
      <form onSubmit={(event) => void ask(event)}>
        <TextField label={texts.prompt} rows={4} value={prompt} onInput={setPrompt} isRequired />
        <TextField label={texts.maxTokens} value={maxTokens} onInput={setMaxTokens} isRequired />
        <TextField
          label={texts.inferenceKey}
          type="password"
          value={key}
          onInput={setKey}
          hint={texts.estimateKeyHint}
          isRequired
        />
        <Failure failure={failure} />
        <button type="submit">{texts.estimateAction}</button>
      </form>
      <div aria-live="polite">{estimate && <EstimateTables estimate={estimate} />}</div>
    </section>
  );
}

function EstimateTables({ estimate }: { estimate: PromptEstimate }) {
  const { texts } = useConsole();
  const { rub, count } = useFormats();
  const { input_tokens, hold_rub, admits, affordable_max_tokens, candidates, excluded } = estimate;
  return (
    <>
      <p>
        <Room admits={admits} words={admits ? texts.wouldBeAdmitted : texts.wouldBeRefused} />{' '}
        {texts.promptTokens(count(input_tokens))} {texts.heldAtFirst(rub(hold_rub))}
        {affordable_max_tokens !== null && ` ${texts.affordableTokens(count(affordable_max_tokens))}`}
      </p>
      <DataTable
        caption={texts.estimate}
        rows={candidates}
        rowKey={({ endpoint_id }) => endpoint_id}
        columns={[
          { title: texts.model, cell: ({ model }) => model },
          { title: texts.provider, cell: ({ provider_name }) => provider_name },
          { title: texts.promptCost, isFigure: true, cell: ({ input_cost_rub }) => rub(input_cost_rub) },
          { title: texts.limitConcurrency, isFigure: true, cell: ({ max_cost_rub }) => rub(max_cost_rub) },
        ]}
      />
      {excluded.length > 0 && <h3>{texts.excludedEndpoints}</h3>}
      <ul>
        {excluded.map(({ model, endpoint_id, provider_name, reason }) => (
          <li key={`${model} ${endpoint_id}`}>
            {model}, {provider_name}: {texts.exclusions[reason] ?? reason}
          </li>
        ))}
      </ul>
      <h3>{texts.limits}</h3>
      <LimitList estimate={estimate} />
    </>
  );
}

/** Shows the limits that apply to the request, with the remaining amounts, if known. */
function LimitList({ estimate: { limits, free_limits } }: { estimate: PromptEstimate }) {
  const { texts } = useConsole();
  const { rub, count } = useFormats();
  if (limits.length + free_limits.length === 0) return <p class="quiet">{texts.noLimits}</p>;
  const words = (admits: boolean) => (admits ? texts.admits : texts.doesNotAdmit);
  return (
    <ul>
      {limits.map(({ source, interval, remaining_rub, admits }) => (
        <li key={`${source} ${interval}`}>
          {texts.limitSources[source] ?? source}, {texts.intervals[interval] ?? interval}: {texts.left}{' '}
          {rub(remaining_rub)} <Room admits={admits} words={words(admits)} />
        </li>
      ))}
      {free_limits.map(({ model, source, remaining_requests, admits }) => (
        <li key={`${model} ${source}`}>
          {model}, {texts.limitSources[source] ?? source}
          {remaining_requests === undefined ? '' : `: ${texts.left} ${count(remaining_requests)}`}{' '}
          <Room admits={admits} words={words(admits)} />
        </li>
      ))}
    </ul>
  );
}

function Room({ admits, words }: { admits: boolean; words: string }) {
  return <span class={`badge ${admits ? 'good' : 'bad'}`}>{words}</span>;
}
