import { useState } from 'preact/hooks';
import { codeSamples, sampleNames, type SampleName } from '../../code-samples.ts';
import { useConsole } from '../../environment.ts';
import { apiBase } from '../../gateway-client.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { ChoiceField } from '../../parts/fields.tsx';
import type { MessagesBody } from '../../playground-request.ts';

export function Samples({ body }: { body: MessagesBody }) {
  const { texts } = useConsole();
  const [name, setName] = useState<SampleName>('curl');
  return (
    <section>
      <h2>{texts.code}</h2>
      <ChoiceField
        label={texts.codeFor}
        value={name}
        choices={sampleNames.map((one) => [one, one])}
        onChange={(value) => setName(value as SampleName)}
      />
      <Copyable text={codeSamples(body, apiBase())[name]} label={name} />
    </section>
  );
}
