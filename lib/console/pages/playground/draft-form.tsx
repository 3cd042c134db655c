import type { ShownModel } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { SwitchField, TextField } from '../../parts/fields.tsx';
import type { PlaygroundDraft } from '../../playground-request.ts';
import { FileField } from './file-field.tsx';
import { ModelField } from './model-field.tsx';
import { SendButtons } from './send-buttons.tsx';

/** Maximum size of an image: a request may have at most six megabytes, and base64 makes a file a third larger. */
const MAX_IMAGE_BYTES = 3_500_000;

interface DraftFormProps {
  draft: PlaygroundDraft;
  /** Callable models; undefined until they are loaded. */
  models: ShownModel[] | undefined;
  isRunning: boolean;
  /** Whether no model is chosen because the list of models is still loading. */
  isChoosingModel: boolean;
  areToolsWrong: boolean;
  onChange: (some: Partial<PlaygroundDraft>) => void;
  onSend: () => void;
  onStop: () => void;
}

export function DraftForm({
  draft,
  models,
  isRunning,
  isChoosingModel,
  areToolsWrong,
  onChange: put,
  onSend,
  onStop,
}: DraftFormProps) {
  const { texts } = useConsole();
  const chooseImage = async (file: File | undefined) => {
    put({ image: undefined });
    if (file) put({ image: { mediaType: file.type, base64: await readFileAsBase64(file) } });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!areToolsWrong && !isRunning) onSend();
      }}
    >
      <div class="filters">
        <ModelField model={draft.model} models={models} onInput={(model) => put({ model })} />
        <TextField
          label={texts.maxTokens}
          value={draft.maxTokens}
          onInput={(maxTokens) => put({ maxTokens })}
          isRequired
        />
        <SwitchField
          label={texts.searchWeb}
          isOn={draft.isSearching}
          onChange={(isSearching) => put({ isSearching })}
        />
        <SwitchField label={texts.think} isOn={draft.isThinking} onChange={(isThinking) => put({ isThinking })} />
      </div>
      <TextField label={texts.prompt} rows={5} value={draft.prompt} onInput={(prompt) => put({ prompt })} isRequired />
      <details>
        <summary>{texts.more}</summary>
        <TextField label={texts.system} rows={3} value={draft.system} onInput={(system) => put({ system })} />
        <TextField
          label={texts.tools}
          rows={5}
          value={draft.tools}
          onInput={(tools) => put({ tools })}
          hint={areToolsWrong ? texts.toolsAreWrong : texts.toolsHint}
        />
        <FileField
          label={texts.image}
          accept="image/png,image/jpeg,image/webp,image/gif"
          maxBytes={MAX_IMAGE_BYTES}
          tooLarge={texts.imageTooLarge}
          onFile={(file) => void chooseImage(file)}
        />
      </details>
      <SendButtons canSend={!isRunning && !isChoosingModel} isRunning={isRunning} onStop={onStop} />
    </form>
  );
}

/** Reads a file as base64. The browser returns a `data:` URL, whose base64 comes after the comma. */
function readFileAsBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve((reader.result as string).split(',', 2)[1]!));
    reader.addEventListener('error', () => reject(reader.error!));
    reader.readAsDataURL(file);
  });
}
