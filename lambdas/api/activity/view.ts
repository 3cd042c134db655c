import type { ActivityRow, ActivitySplit } from '../../accounting/activity.ts';
import type { ActivityRowBody } from './shape.ts';

/**
 * Converts an activity row to the API's format. Usage with clients' own provider keys (BYOK) is always 0, because the
 * gateway does not support such keys.
 */
export function activityView(row: ActivityRow, splitBy: readonly ActivitySplit[]): ActivityRowBody {
  return {
    date: row.date,
    model: row.model,
    model_permaslug: row.modelPermaslug,
    endpoint_id: row.endpointId,
    provider_name: row.providerName,
    usage: row.usage,
    byok_usage_inference: 0,
    cache_saved_rub: row.cacheSaved,
    requests: row.requests,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
    ...(row.workspaceId === undefined ? {} : { workspace_id: row.workspaceId }),
    ...(splitBy.includes('key') ? { api_key_hash: row.keyHash! } : {}),
    ...(splitBy.includes('member') ? { user_id: row.memberId ?? null } : {}),
    ...(row.tags === undefined ? {} : { tags: row.tags }),
  };
}
