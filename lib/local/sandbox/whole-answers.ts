import { readdirSync } from 'node:fs';

/** Response that is not streamed, with its HTTP status. */
export interface SandboxAnswer {
  status: number;
  body: object;
}

/** Returns the error that a directive requests. */
export function requestedFailure(status: number): SandboxAnswer {
  return { status, body: { error: { message: `The sandbox was asked to answer with status ${status}` } } };
}

/**
 * Functions that answer requests of a modality without streaming, by path. They return undefined if another modality
 * handles the request body.
 */
type WholeAnswers = Record<string, (body: never) => SandboxAnswer | undefined>;

const folder = new URL('whole/', import.meta.url);

/** Loads the functions of all modalities from the files in whole/. */
export async function loadWholeAnswers(): Promise<WholeAnswers> {
  const loaded = readdirSync(folder).map(async (file) => {
    const { wholeAnswers } = (await import(new URL(file, folder).href)) as { wholeAnswers: WholeAnswers };
    return wholeAnswers;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as WholeAnswers;
}
