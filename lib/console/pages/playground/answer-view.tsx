import type { AnswerBlock, AnswerState } from '../../answer-state.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { hashOf } from '../../hash-route.ts';
import { FactList } from '../../parts/fact-list.tsx';

interface AnswerViewProps {
  answer: AnswerState;
  generationId: string | undefined;
  isRunning: boolean;
}

export function AnswerView({ answer, generationId, isRunning }: AnswerViewProps) {
  const { texts } = useConsole();
  return (
    <section>
      <h2>{texts.answer}</h2>
      <div class="answer" aria-live="polite" aria-busy={isRunning} role="log" aria-label={texts.answer} tabIndex={0}>
        {answer.blocks.map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
      {answer.failure !== undefined && (
        <p class="notice bad" role="alert">
          {answer.failure}
        </p>
      )}
      {!isRunning && !answer.isDone && <p class="notice warning">{texts.stopped}</p>}
      {!isRunning && <UsageView answer={answer} />}
      {generationId !== undefined && (
        <p>
          <a href={hashOf('generations', generationId)}>{texts.showGeneration}</a>
        </p>
      )}
    </section>
  );
}

function BlockView({ block: { kind, name, text } }: { block: AnswerBlock }) {
  const { texts } = useConsole();
  switch (kind) {
    case 'text':
      return <p class="text">{text}</p>;
    case 'thinking':
      return (
        <details open>
          <summary>{texts.thinking}</summary>
          <p class="text quiet">{text}</p>
        </details>
      );
    case 'call':
      return (
        <pre>
          {texts.call} {name} {text}
        </pre>
      );
    case 'results':
      return (
        <details>
          <summary>{texts.searchResults}</summary>
          <p class="text quiet">{text}</p>
        </details>
      );
    case 'other':
      return <p class="quiet">{name}</p>;
  }
}

function UsageView({ answer: { usage, cost, stopReason, model } }: { answer: AnswerState }) {
  const { texts } = useConsole();
  const { rub, count } = useFormats();
  const tokens = (name: string) => count(usage[name] as number | null | undefined);
  const facts = [
    [texts.model, model ?? '—'],
    [texts.tokensRead, tokens('input_tokens')],
    [texts.tokensWritten, tokens('output_tokens')],
    [texts.cost, cost === undefined ? '—' : rub(cost)],
    [texts.finishReason, stopReason ?? '—'],
  ] as const;
  return <FactList facts={facts} />;
}
