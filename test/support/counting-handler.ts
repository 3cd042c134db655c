import { countPromptTokens } from '../../lambdas/admission/prompt/local-count.ts';

/** A function that only counts, to be bundled as the real ones are. */
export const handler = (texts: string[]): Promise<number | undefined> =>
  countPromptTokens(texts, 'o200k', { owner: { account: 'account', key: 'key' }, clientLeft: undefined });
