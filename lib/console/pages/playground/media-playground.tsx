import { useEffect, useRef, useState } from 'preact/hooks';
import type { ShownModel } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { openClient } from '../../gateway-client.ts';
import { hashOf } from '../../hash-route.ts';
import { makes, requestMedia, type MediaDraft, type MediaKind, type MediaResult } from '../../media-request.ts';
import { TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/notice.tsx';
import { FileField } from './file-field.tsx';
import { ModelField } from './model-field.tsx';
import { SendButtons } from './send-buttons.tsx';

interface MediaPlaygroundProps {
  kind: MediaKind;
  inferenceKey: string;
  /** Models of the gateway; undefined until they are loaded. */
  models: ShownModel[] | undefined;
}

/** Maximum size of a recording: Lambda gets the form in base64, as at most 6 MB. */
const MAX_RECORDING_BYTES = 4_400_000;

/** `model` is undefined until the user chooses a model. */
interface Typed {
  model: string | undefined;
  text: string;
  voice: string;
  recording: File | undefined;
}

export function MediaPlayground({ kind, inferenceKey, models }: MediaPlaygroundProps) {
  const able = models?.filter((model) => makes(kind, model));
  const [typed, setTyped] = useState<Typed>({ model: undefined, text: '', voice: '', recording: undefined });
  const draft: MediaDraft = { ...typed, kind, model: typed.model ?? able?.[0]?.id ?? '' };
  const request = useRequest(inferenceKey);
  return (
    <>
      <MediaForm
        draft={draft}
        models={able}
        isRunning={request.isRunning}
        onChange={(some) => setTyped((now) => ({ ...now, ...some }))}
        onSend={() => void request.send(draft)}
        onStop={request.stop}
      />
      <Failure failure={request.failure} />
      {(request.isRunning || request.result) && (
        <MediaAnswer isRunning={request.isRunning} result={request.result} prompt={draft.text} />
      )}
    </>
  );
}

interface MediaFormProps {
  draft: MediaDraft;
  models: ShownModel[] | undefined;
  isRunning: boolean;
  onChange: (some: Partial<Typed>) => void;
  onSend: () => void;
  onStop: () => void;
}

function MediaForm({ draft, models, isRunning, onChange: put, onSend, onStop }: MediaFormProps) {
  const { texts } = useConsole();
  const { kind } = draft;
  const isReady = !isRunning && (kind !== 'transcription' || draft.recording !== undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSend();
      }}
    >
      <div class="filters">
        <ModelField model={draft.model} models={models} onInput={(model) => put({ model })} />
        {kind === 'speech' && <TextField label={texts.voice} value={draft.voice} onInput={(voice) => put({ voice })} />}
      </div>
      {kind === 'transcription' ? (
        <FileField
          label={texts.recording}
          accept="audio/*,video/mp4,video/webm"
          maxBytes={MAX_RECORDING_BYTES}
          tooLarge={texts.recordingTooLarge}
          onFile={(recording) => put({ recording })}
        />
      ) : (
        <TextField
          label={kind === 'image' ? texts.imagePrompt : texts.speechText}
          rows={5}
          value={draft.text}
          onInput={(text) => put({ text })}
          isRequired
        />
      )}
      <SendButtons canSend={isReady} isRunning={isRunning} onStop={onStop} />
    </form>
  );
}

interface MediaAnswerProps {
  isRunning: boolean;
  result: MediaResult | undefined;
  prompt: string;
}

function MediaAnswer({ isRunning, result, prompt }: MediaAnswerProps) {
  const { texts } = useConsole();
  return (
    <section>
      <h2>{texts.answer}</h2>
      <div class="answer" aria-live="polite" aria-busy={isRunning}>
        {result && <Shown result={result} prompt={prompt} />}
      </div>
      {result?.generationId !== undefined && (
        <p>
          <a href={hashOf('generations', result.generationId)}>{texts.showGeneration}</a>
        </p>
      )}
    </section>
  );
}

function Shown({ result, prompt }: { result: MediaResult; prompt: string }) {
  const { texts } = useConsole();
  if (result.kind === 'transcription') return <p class="text">{result.text}</p>;
  if (result.kind === 'image') return <img src={result.url} alt={prompt} />;
  return (
    <>
      <audio controls src={result.url} aria-label={texts.answer} />
      <p>
        <a href={result.url} download="speech.mp3">
          {texts.download}
        </a>
      </p>
    </>
  );
}

/** Sends one request at a time; leaving the page aborts it and releases its result. */
function useRequest(key: string) {
  const [result, setResult] = useState<MediaResult>();
  const [failure, setFailure] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  useEffect(() => () => release(result), [result]);
  const send = async (draft: MediaDraft) => {
    const leaving = new AbortController();
    running.current = leaving;
    setIsRunning(true);
    setFailure(undefined);
    setResult(undefined);
    try {
      setResult(await requestMedia(openClient(key), draft, leaving.signal));
    } catch (error) {
      if (!leaving.signal.aborted) setFailure(error);
    }
    setIsRunning(false);
  };
  return { result, failure, isRunning, send, stop };
}

function release(result: MediaResult | undefined): void {
  if (result?.kind === 'speech') URL.revokeObjectURL(result.url);
}
