import type { ActivitySplit } from '../../accounting/activity.ts';
import type { DailySums } from '../../accounting/daily-sums.ts';
import type { Month, MonthRow } from '../../books/month.ts';
import type { Names } from '../../books/names.ts';
import type { Account, BalanceEntry } from '../../store/accounts/accounts.ts';
import type { StatementBody } from './shape.ts';

interface Naming {
  splitBy: readonly ActivitySplit[];
  names: Names;
}

/** Converts a statement to the API's format. Money is in exact numbers of roubles. */
export async function statementView(account: Account, month: Month, naming: Naming): Promise<StatementBody> {
  await naming.names.loadKeys(month.rows.flatMap(({ keyHash }) => keyHash ?? []));
  const { from, to, closedDays, isClosed, rows, total, counted, payments, balance, sealed } = month;
  return {
    account_id: account.id,
    account_name: account.name,
    currency: 'RUB',
    from,
    to,
    zone: 'UTC',
    closed: isClosed,
    closed_days: closedDays,
    rows: await Promise.all(rows.map((row) => rowView(row, naming))),
    total: sumsView(total),
    counted_usage: counted ?? null,
    proven: counted === undefined ? null : counted.equals(total.usage),
    payments: payments.map(paymentView),
    balance: balance
      ? {
          opening: balance.opening,
          paid_in: balance.paidIn,
          given_back: balance.refunded,
          adjusted: balance.adjusted,
          spent: balance.spent,
          closing: balance.closing,
        }
      : null,
    sealed_days: sealed.map(({ date, statement, sha256, signature, keyId }) => {
      return { date, statement, sha256, signature, key_id: keyId };
    }),
  };
}

async function rowView(row: MonthRow, { splitBy, names }: Naming) {
  const { model, workspaceId, keyHash, memberId, tags } = row;
  return {
    model,
    ...(workspaceId === undefined
      ? {}
      : { workspace_id: workspaceId, workspace_slug: await names.workspace(workspaceId) }),
    ...(keyHash === undefined ? {} : await keyNames(keyHash, names)),
    ...(splitBy.includes('member') ? { user_id: memberId ?? null } : {}),
    ...(tags === undefined ? {} : { tags }),
    ...sumsView(row),
  };
}

async function keyNames(keyHash: string, names: Names) {
  const { name, tags } = await names.key(keyHash);
  return { api_key_hash: keyHash, api_key_name: name, api_key_tags: tags };
}

function sumsView({ requests, promptTokens, completionTokens, reasoningTokens, usage, cacheSaved }: DailySums) {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    reasoning_tokens: reasoningTokens,
    usage,
    cache_saved_rub: cacheSaved,
  };
}

function paymentView({ createdAt, kind, amount, id, note }: BalanceEntry) {
  return { created_at: createdAt, kind, reference: id, amount, note: note ?? null };
}
