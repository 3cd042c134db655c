/** Placeholder for the value of an operator's variable, as in `gpt://{YANDEX_FOLDER_ID}/yandexgpt`. */
const PLACEHOLDER = /\{([A-Z][A-Z0-9_]*)\}/g;

/** Text in which values replace placeholders. Placeholders of unset variables stay in the text. */
export interface FilledText {
  text: string;
  /** First variable that the operator has not set. */
  unset: string | undefined;
}

export function fillPlaceholders(text: string, valueOf: (variable: string) => string | undefined): FilledText {
  return {
    text: text.replaceAll(PLACEHOLDER, (placeholder, name: string) => valueOf(name) ?? placeholder),
    unset: variablesIn(text).find((name) => !valueOf(name)),
  };
}

/** Returns the names of the variables that a text needs. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}
