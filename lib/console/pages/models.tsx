import { useState } from 'preact/hooks';
import type { DataOf, ShownModel } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { DataTable } from '../parts/data-table.tsx';
import { SwitchField, TextField } from '../parts/fields.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { Availability, MillionPrice } from './models/model-facts.tsx';

/** Maximum number of compared models: more columns do not fit next to each other. */
const MAX_COMPARED = 4;
const MAX_MODEL_ROWS = 100;

export function ModelsPage() {
  const { texts, client } = useConsole();
  const [words, setWords] = useState('');
  const [onlyCallable, setOnlyCallable] = useState(true);
  const [compared, setCompared] = useState<string[]>([]);
  const models = useLoaded(
    async (signal) => (await client.read<DataOf<ShownModel[]>>('/models', signal)).body.data,
    [client],
  );
  const choose = (id: string, isOn: boolean) =>
    setCompared(isOn ? [...compared, id] : compared.filter((other) => other !== id));
  return (
    <>
      <h1>{texts.pages.models}</h1>
      <div class="filters">
        <TextField label={texts.search} type="search" value={words} onInput={setWords} />
        <SwitchField label={texts.onlyCallable} isOn={onlyCallable} onChange={setOnlyCallable} />
        {compared.length >= 2 ? (
          <a class="button" href={hashOf('models', undefined, { compare: compared.join(',') })}>
            {texts.compare(compared.length)}
          </a>
        ) : (
          <span class="quiet">{texts.compareHint}</span>
        )}
      </div>
      <WhenLoaded of={models}>
        {(all) => {
          const found = all.filter((model) => fits(model, words) && (!onlyCallable || model.available !== false));
          return (
            <>
              <ModelTable rows={found.slice(0, MAX_MODEL_ROWS)} compared={compared} onChoose={choose} />
              {found.length > MAX_MODEL_ROWS && <p class="quiet">{texts.firstRows(MAX_MODEL_ROWS, found.length)}</p>}
            </>
          );
        }}
      </WhenLoaded>
    </>
  );
}

function fits({ id, name }: ShownModel, words: string): boolean {
  const text = `${id} ${name}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface ModelTableProps {
  rows: ShownModel[];
  compared: string[];
  onChoose: (id: string, isOn: boolean) => void;
}

function ModelTable({ rows, compared, onChoose }: ModelTableProps) {
  const { texts } = useConsole();
  const { count } = useFormats();
  return (
    <DataTable
      caption={texts.pages.models}
      rows={rows}
      rowKey={({ id }) => id}
      empty={texts.noModels}
      columns={[
        {
          title: texts.model,
          cell: ({ id, name }) => (
            <>
              <a href={hashOf('models', id)}>{id}</a> <small class="quiet">{name}</small>
            </>
          ),
        },
        { title: texts.callable, cell: (model) => <Availability model={model} /> },
        { title: texts.context, isFigure: true, cell: ({ context_length }) => count(context_length) },
        { title: texts.promptMillion, isFigure: true, cell: ({ pricing }) => <MillionPrice price={pricing.prompt} /> },
        {
          title: texts.completionMillion,
          isFigure: true,
          cell: ({ pricing }) => <MillionPrice price={pricing.completion} />,
        },
        {
          title: texts.compareColumn,
          cell: ({ id }) => (
            <SwitchField
              label={<span class="unseen">{`${texts.compareColumn}: ${id}`}</span>}
              isOn={compared.includes(id)}
              isDisabled={compared.length >= MAX_COMPARED && !compared.includes(id)}
              onChange={(isOn) => onChoose(id, isOn)}
            />
          ),
        },
      ]}
    />
  );
}
