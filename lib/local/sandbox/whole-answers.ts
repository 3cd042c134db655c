import { readdirSync } from 'node:fs';

/** An answer in one piece, with its HTTP status. */
export interface SandboxAnswer {
  status: number;
  body: object;
}

/** The failure that a prompt asks for. */
export function askedFailure(status: number): SandboxAnswer {
  return { status, body: { error: { message: `The sandbox was asked to answer with status ${status}` } } };
}

/** Answers of a modality, by paths, to the body of a request; undefined for a body that is another's to answer. */
type WholeAnswers = Record<string, (body: never) => SandboxAnswer | undefined>;

const folder = new URL('whole/', import.meta.url);

/** Loads the answers of all modalities: those of each file of the folder whole/. */
export async function loadWholeAnswers(): Promise<WholeAnswers> {
  const loaded = readdirSync(folder).map(async (file) => {
    const { wholeAnswers } = (await import(new URL(file, folder).href)) as { wholeAnswers: WholeAnswers };
    return wholeAnswers;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as WholeAnswers;
}
