import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { emptyAnswer, withEvent, type AnswerState } from '../answer-state.ts';
import type { DataOf, ShownModel } from '../answers.ts';
import { useConsole } from '../environment.ts';
import { parseExactJson } from '../exact-numbers.ts';
import { openClient } from '../gateway-client.ts';
import { useLoaded, type Loaded } from '../loaded.ts';
import { mediaKinds, type MediaKind } from '../media-request.ts';
import { ChoiceField } from '../parts/fields.tsx';
import { Failure } from '../parts/notice.tsx';
import { firstModelOf, isCallable, messagesBody, type PlaygroundDraft } from '../playground-request.ts';
import { inferenceKeySlot } from '../tab-memory.ts';
import { AnswerView } from './playground/answer-view.tsx';
import { DraftForm } from './playground/draft-form.tsx';
import { InferenceKey } from './playground/inference-key.tsx';
import { MediaPlayground } from './playground/media-playground.tsx';
import { Samples } from './playground/samples.tsx';

/** Until the user chooses a model, `model` is undefined, and the first callable model is used. */
type Typed = Omit<PlaygroundDraft, 'model'> & { model: string | undefined };

/** Page with a form for a request of one output kind, and the answer. */
export function PlaygroundPage({ query }: { query: URLSearchParams }) {
  const { texts, client } = useConsole();
  const [key, setKey] = useState(inferenceKeySlot.read());
  const [kind, setKind] = useState<'text' | MediaKind>('text');
  const models = useLoaded(
    async (signal) => (await client.read<DataOf<ShownModel[]>>('/models?output_modalities=all', signal)).body.data,
    [client],
  );
  return (
    <>
      <h1>{texts.pages.playground}</h1>
      <InferenceKey
        keyInUse={key}
        onKey={(next) => {
          if (next === undefined) inferenceKeySlot.forget();
          else inferenceKeySlot.write(next);
          setKey(next);
        }}
      />
      <ChoiceField
        label={texts.outputKind}
        value={kind}
        choices={(['text', ...mediaKinds] as const).map((one) => [one, texts.outputKinds[one]])}
        onChange={(value) => setKind(value as typeof kind)}
      />
      <Failure failure={models.failure} />
      {kind === 'text' ? (
        <TextPlayground first={query.get('model') ?? undefined} inferenceKey={key} models={models} />
      ) : (
        key !== undefined && <MediaPlayground key={kind} kind={kind} inferenceKey={key} models={models.value} />
      )}
    </>
  );
}

interface TextPlaygroundProps {
  first: string | undefined;
  /** Inference key that pays for the request; undefined until the user has chosen one. */
  inferenceKey: string | undefined;
  models: Loaded<ShownModel[]>;
}

function TextPlayground({ first: chosen, inferenceKey: key, models }: TextPlaygroundProps) {
  const [typed, setTyped] = useState<Typed>({
    model: chosen,
    system: '',
    prompt: '',
    maxTokens: '1000',
    tools: '',
    isSearching: false,
    isThinking: false,
    image: undefined,
  });
  const callable = useMemo(() => models.value?.filter(isCallable), [models.value]);
  const first = firstModelOf(callable ?? []);
  const draft = useMemo(() => ({ ...typed, model: typed.model ?? first ?? '' }), [typed, first]);
  const sending = useSending(key);
  const body = useMemo(() => bodyOrUndefined(draft), [draft]);
  return (
    <>
      {key !== undefined && (
        <DraftForm
          draft={draft}
          models={callable}
          isRunning={sending.isRunning}
          isChoosingModel={typed.model === undefined && models.isLoading}
          areToolsWrong={body === undefined}
          onChange={(some) => setTyped((now) => ({ ...now, ...some }))}
          onSend={() => body && void sending.send(body)}
          onStop={sending.stop}
        />
      )}
      <Failure failure={sending.failure} />
      {sending.answer && (
        <AnswerView answer={sending.answer} generationId={sending.generationId} isRunning={sending.isRunning} />
      )}
      {body && <Samples body={body} />}
    </>
  );
}

function bodyOrUndefined(draft: PlaygroundDraft) {
  try {
    return messagesBody(draft);
  } catch {
    return undefined;
  }
}

/** Sends one request at a time; leaving the page aborts it. */
function useSending(key: string | undefined) {
  const [answer, setAnswer] = useState<AnswerState>();
  const [generationId, setGenerationId] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  const [isRunning, setIsRunning] = useState(false);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  const send = async (body: object) => {
    const leaving = new AbortController();
    running.current = leaving;
    setIsRunning(true);
    setFailure(undefined);
    setAnswer(undefined);
    setGenerationId(undefined);
    try {
      const response = await openClient(key ?? '').open('/messages', body, leaving.signal);
      setGenerationId(response.headers.get('x-generation-id') ?? undefined);
      let state = emptyAnswer;
      const events = response
        .body!.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
        .pipeThrough(new EventSourceParserStream());
      for await (const { data } of eachOf(events)) {
        state = withEvent(state, parseExactJson(data) as Parameters<typeof withEvent>[1]);
        setAnswer(state);
      }
    } catch (error) {
      if (!leaving.signal.aborted) setFailure(error);
    }
    setIsRunning(false);
  };
  return { answer, generationId, failure, isRunning, send, stop };
}

/** Yields the values of a stream. Some browsers cannot iterate over streams. */
async function* eachOf<Value>(stream: ReadableStream<Value>): AsyncGenerator<Value, void> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
