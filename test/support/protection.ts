import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { protect as protectFor, type Protected, type Protection } from '../../lambdas/protection/sensitive-data.ts';
import {
  noSensitiveData,
  sensitiveCategories,
  type SensitiveData,
} from '../../lambdas/store/accounts/sensitive-data.ts';

export const everything: SensitiveData = { ...noSensitiveData, enabled: true, categories: [...sensitiveCategories] };

export const prompt = (content: string, more: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...more,
});

/** Protects the sensitive data in a request of a fixed account and key. */
export function protect(
  request: MessagesRequest,
  settings: SensitiveData,
  { beforeSearch, ...options }: Parameters<typeof protectFor>[2] & Pick<Protection, 'beforeSearch'> = {},
): Promise<Protected> {
  const protection = { settings, beforeSearch, owner: { account: 'account', key: 'key' }, clientLeft: undefined };
  return protectFor(request, protection, options);
}

/** Returns a prompt as a provider gets it. */
export async function sentText(text: string, settings: Partial<SensitiveData> = {}): Promise<string> {
  const { message } = await protect(prompt(text), { ...everything, ...settings });
  return message.messages[0]!.content as string;
}
