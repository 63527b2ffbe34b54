import type { TriggerFact } from '../domain/trigger-fact.js';

const KEEP_MS = 30_000;
const MAX_FACTS = 5_000;

/**
 * The newest facts that this process has matched. A workflow that was created just before a fact may become known here just after
 * it: then the fact is matched once more.
 */
export class RecentFacts {
  private readonly bySite = new Map<string, TriggerFact[]>();
  private order: { readonly siteId: string; readonly seenAtMs: number }[] = [];

  constructor(private readonly nowMs: () => number) {}

  add(fact: TriggerFact): void {
    const seenAtMs = this.nowMs();
    const facts = this.bySite.get(fact.siteId) ?? [];
    facts.push(fact);
    this.bySite.set(fact.siteId, facts);
    this.order.push({ siteId: fact.siteId, seenAtMs });
    this.trim(seenAtMs);
  }

  ofSite(siteId: string): readonly TriggerFact[] {
    return [...(this.bySite.get(siteId) ?? [])];
  }

  private trim(nowMs: number): void {
    let gone = 0;
    for (const { siteId, seenAtMs } of this.order) {
      if (this.order.length - gone <= MAX_FACTS && nowMs - seenAtMs <= KEEP_MS) break;
      const facts = this.bySite.get(siteId);
      facts?.shift();
      if (facts?.length === 0) this.bySite.delete(siteId);
      gone += 1;
    }
    if (gone > 0) this.order = this.order.slice(gone);
  }
}
