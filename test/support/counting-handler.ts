import { countPromptTokens } from '../../lambdas/admission/prompt/local-count.ts';

/** Function that only counts tokens, for tests of bundles. */
export const handler = (texts: string[]): Promise<number | undefined> =>
  countPromptTokens(texts, 'o200k', { owner: { account: 'account', key: 'key' }, clientLeft: undefined });
