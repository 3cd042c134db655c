/**
 * Names by which tools know models besides their ids: Claude Code asks for "claude-opus-4-8[1m]", examples for
 * "claude-haiku-4-5-20251001". What is unambiguous resolves; the answer and its record have the model's id.
 */

/** No name is longer. */
const MAX_MODEL_NAME_LENGTH = 200;
/** How much of its context a tool wants to use, which here is all of it. */
const CONTEXT_MARK = /\[\w{1,8}\]$/;
/** The day of a version, as Anthropic, Google Cloud and OpenAI write it. */
const NAME_DATE = /[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/** Finds models by what they are called elsewhere. */
export class ModelNames<Model extends { id: string }> {
  /** By every spelling of an id, with its author and without; undefined where two models share it. */
  readonly #bySpelling = new Map<string, Model | undefined>();

  constructor(models: readonly Model[]) {
    for (const model of models) {
      for (const spelling of new Set([spellingOf(model.id), spellingOf(withoutAuthor(model.id))])) {
        this.#bySpelling.set(spelling, this.#bySpelling.has(spelling) ? undefined : model);
      }
    }
  }

  /**
   * The one model that is meant: its author may be left out, "-" may stand for ".", and a date or a mark like "[1m]" behind
   * it. @returns undefined where none is, or more than one
   */
  find(name: string): Model | undefined {
    if (name.length > MAX_MODEL_NAME_LENGTH) return undefined;
    const bare = name.replace(CONTEXT_MARK, '');
    const spellings = [name, bare, bare.replace(NAME_DATE, '')].map(spellingOf);
    const known = spellings.find((spelling) => this.#bySpelling.has(spelling));
    return known === undefined ? undefined : this.#bySpelling.get(known);
  }
}

function spellingOf(name: string): string {
  return name.toLowerCase().replaceAll('.', '-');
}

export function withoutAuthor(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
