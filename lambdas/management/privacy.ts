import { invalidRequest } from '../platform/errors.ts';
import { changePrivacy, type Privacy, type PrivacyChange } from '../store/accounts/privacy.ts';
import type { ChangeContext } from './change.ts';

/**
 * Merges a change into privacy settings. null clears a field or, as the change, all settings. An unknown provider in
 * a rule is refused, because it is probably a typing error.
 * @throws {GatewayError} 400 with the existing ids
 */
export async function changedPrivacy(
  context: Pick<ChangeContext, 'providerIds'>,
  before: Privacy,
  change: PrivacyChange | null | undefined,
): Promise<Privacy> {
  if (change === undefined) return before;
  for (const field of ['allowedProviders', 'ignoredProviders'] as const)
    await checkProviderRules(context, field, change?.[field]);
  return changePrivacy(before, change);
}

async function checkProviderRules(
  { providerIds = async () => [] }: Pick<ChangeContext, 'providerIds'>,
  field: string,
  ids: readonly string[] | null | undefined,
): Promise<void> {
  if (!ids?.length) return;
  const known = await providerIds();
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw invalidRequest(
    `privacy.${field}`,
    `there is no provider "${unknown.slice(0, 64)}"; the providers are ${known.join(', ')}`,
  );
}
