/** More than any gateway needs at a time: a storefront's page holds one, a merchant one or two. */
const MAX_REMEMBERED = 10_000;

/**
 * Claims of verified tokens, each until its own expiry: a signature never changes, so it is verified only
 * once. Bounded; the oldest entry is evicted.
 */
export class RememberedTokens<Claims> {
  private readonly remembered = new Map<string, { readonly claims: Claims; readonly untilMs: number }>();

  constructor(
    private readonly nowMs: () => number,
    private readonly limit = MAX_REMEMBERED,
  ) {}

  /** Undefined for an unknown, evicted or expired one. */
  recall(token: string): Claims | undefined {
    const known = this.remembered.get(token);
    if (known === undefined) return undefined;
    if (this.nowMs() < known.untilMs) return known.claims;
    this.remembered.delete(token);
    return undefined;
  }

  /** `token` is the token or its digest: the key of `recall`. */
  remember(token: string, claims: Claims, untilMs: number): void {
    if (this.remembered.size >= this.limit && !this.remembered.has(token)) {
      const oldest = this.remembered.keys().next();
      if (oldest.done !== true) this.remembered.delete(oldest.value);
    }
    this.remembered.set(token, { claims, untilMs });
  }
}
