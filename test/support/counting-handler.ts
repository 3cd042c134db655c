import { countPromptTokens } from '../../lambdas/admission/prompt/local-count.ts';

/** Function that only counts tokens. Tests bundle it like a deployed function. */
export const handler = (texts: string[]): Promise<number | undefined> =>
  countPromptTokens(texts, 'o200k', { owner: { account: 'account', key: 'key' }, clientLeft: undefined });
