import { readdirSync } from 'node:fs';

/** A response in one piece, with its HTTP status. */
export interface SandboxAnswer {
  status: number;
  body: object;
}

/** The error that a directive requests. */
export function requestedFailure(status: number): SandboxAnswer {
  return { status, body: { error: { message: `The sandbox was asked to answer with status ${status}` } } };
}

/**
 * Responses of a modality, by path, computed from the request body; undefined if another modality handles the body.
 */
type WholeAnswers = Record<string, (body: never) => SandboxAnswer | undefined>;

const folder = new URL('whole/', import.meta.url);

/** Loads the responses of all modalities from the files in whole/. */
export async function loadWholeAnswers(): Promise<WholeAnswers> {
  const loaded = readdirSync(folder).map(async (file) => {
    const { wholeAnswers } = (await import(new URL(file, folder).href)) as { wholeAnswers: WholeAnswers };
    return wholeAnswers;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as WholeAnswers;
}
