import type { ToldTrigger } from '../domain/trigger-fact.js';

const KEEP_MS = 30_000;
const MAX_FACTS = 5_000;

/**
 * The newest facts that this process has matched. A workflow that was created just before a fact may become known here just after
 * it: then the fact is matched once more.
 */
export class RecentFacts {
  /** In their order. */
  private kept: { readonly fact: ToldTrigger; readonly seenAtMs: number }[] = [];

  constructor(private readonly nowMs: () => number) {}

  /** All of a call at once: what is forgotten costs a copy of what is kept. */
  add(facts: readonly ToldTrigger[]): void {
    const seenAtMs = this.nowMs();
    for (const fact of facts) this.kept.push({ fact, seenAtMs });
    const old = this.kept.findIndex((one) => seenAtMs - one.seenAtMs <= KEEP_MS);
    const gone = Math.max(old === -1 ? this.kept.length : old, this.kept.length - MAX_FACTS);
    if (gone > 0) this.kept = this.kept.slice(gone);
  }

  ofSite(siteId: string): readonly ToldTrigger[] {
    return this.kept.flatMap(({ fact }) => (fact.siteId === siteId ? [fact] : []));
  }
}
