import { readdirSync } from 'node:fs';

/** An answer in one piece, with its HTTP status. */
export interface SandboxAnswer {
  status: number;
  body: object;
}

/** Answers a request by its body; undefined for a body that is another's to answer. */
type Answerer = (body: never) => SandboxAnswer | undefined;

const folder = new URL('whole/', import.meta.url);

/** Loads all files of the folder whole/. Each has the answers of a modality by their paths, and is registered by being there. */
export async function loadWholeAnswers(): Promise<Record<string, Answerer>> {
  const files = readdirSync(folder).map(
    (file) => import(new URL(file, folder).href) as Promise<{ wholeAnswers: Record<string, Answerer> }>,
  );
  return Object.assign({}, ...(await Promise.all(files)).map(({ wholeAnswers }) => wholeAnswers)) as Record<
    string,
    Answerer
  >;
}
