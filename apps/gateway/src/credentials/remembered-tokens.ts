/** More are live at once on no gateway; a storefront's page holds one, a merchant one or two. */
const MAX_REMEMBERED = 10_000;

/**
 * What verified tokens said, each until its own time: a signature never changes, so it is verified once. Bounded; the
 * oldest makes room.
 */
export class RememberedTokens<Claims> {
  private readonly remembered = new Map<string, { readonly claims: Claims; readonly untilMs: number }>();

  constructor(
    private readonly nowMs: () => number,
    private readonly limit = MAX_REMEMBERED,
  ) {}

  /** Undefined for one that was never remembered, that has made room, or whose time is over. */
  recall(token: string): Claims | undefined {
    const known = this.remembered.get(token);
    if (known === undefined) return undefined;
    if (this.nowMs() < known.untilMs) return known.claims;
    this.remembered.delete(token);
    return undefined;
  }

  /** `token` is the token or its digest: whatever it is recalled by. */
  remember(token: string, claims: Claims, untilMs: number): void {
    if (this.remembered.size >= this.limit && !this.remembered.has(token)) {
      const oldest = this.remembered.keys().next();
      if (oldest.done !== true) this.remembered.delete(oldest.value);
    }
    this.remembered.set(token, { claims, untilMs });
  }
}
