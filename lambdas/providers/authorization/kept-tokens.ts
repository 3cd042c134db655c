/** Tokens that are got from elsewhere, each kept until shortly before it ends, and asked for once at a time. */

interface Token {
  value: string;
  /** How long it lasts from when it was asked for. */
  lifetimeMs: number;
}

/** No request may leave with a token that ends on its way. */
const MARGIN_MS = 60_000;
/** More than a catalog has credentials; those of before a rotation are forgotten. */
const MAX_KEPT = 64;

/**
 * @param get asks for a token with a credential; whoever waits for it gets its failure, and the next one asks again
 * @returns the token of a credential
 */
export function keptTokens(get: (credential: string) => Promise<Token>): (credential: string) => Promise<string> {
  const kept = new Map<string, { token: Promise<Token>; askedAtMs: number }>();

  const ask = (credential: string): Promise<Token> => {
    if (kept.size >= MAX_KEPT) kept.clear();
    const token = get(credential);
    kept.set(credential, { token, askedAtMs: performance.now() });
    token.catch(() => {
      if (kept.get(credential)?.token === token) kept.delete(credential);
    });
    return token;
  };

  return async (credential) => {
    const known = kept.get(credential);
    if (!known) return (await ask(credential)).value;
    const { value, lifetimeMs } = await known.token;
    if (performance.now() - known.askedAtMs < lifetimeMs - MARGIN_MS) return value;
    // Whoever else waited for the old one has asked by now.
    const later = kept.get(credential);
    return (later && later !== known ? await later.token : await ask(credential)).value;
  };
}
