/**
 * Finds the model for a name that is not its id, if it is unambiguous. For example, Claude Code sends
 * "claude-opus-4-8[1m]", and code examples often use "claude-haiku-4-5-20251001".
 */

const MAX_MODEL_NAME_LENGTH = 200;
/** The suffix by which a client requests a context size. It is ignored, because a model always has its full context. */
const CONTEXT_MARK = /\[\w{1,8}\]$/;
/** The date of a version, as Anthropic, Google Cloud and OpenAI write it. */
const NAME_DATE = /[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/** Finds models by names that other services use. */
export class ModelNames<Model extends { id: string }> {
  /** Models by the spellings of their ids, with and without the author; undefined if two models share a spelling. */
  readonly #bySpelling = new Map<string, Model | undefined>();

  constructor(models: readonly Model[]) {
    for (const model of models) {
      for (const spelling of new Set([spellingOf(model.id), spellingOf(withoutAuthor(model.id))])) {
        this.#bySpelling.set(spelling, this.#bySpelling.has(spelling) ? undefined : model);
      }
    }
  }

  /**
   * Returns the only model that a name matches, ignoring case. The name may omit the author, have "-", "." and "_" in
   * place of each other, and end with a date or a mark such as "[1m]".
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
  return name.toLowerCase().replaceAll(/[._]/g, '-');
}

export function withoutAuthor(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
