import { countPromptTokens } from '../../lambdas/admission/prompt/local-count.ts';

/** A function that only counts tokens; tests bundle it like the real functions. */
export const handler = (texts: string[]): Promise<number | undefined> =>
  countPromptTokens(texts, 'o200k', { owner: { account: 'account', key: 'key' }, clientLeft: undefined });
