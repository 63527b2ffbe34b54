import type { ToldTrigger } from '../domain/trigger-fact.js';

const KEEP_MS = 30_000;
const MAX_FACTS = 5_000;
/** They are forgotten together. */
const GROUP_MS = 1_000;
const GROUP_FACTS = 500;

interface Group {
  readonly firstMs: number;
  lastMs: number;
  readonly facts: ToldTrigger[];
}

/**
 * The newest facts that this process has matched. A workflow that was created just before a fact may become known here just after
 * it: then the fact is matched once more.
 */
export class RecentFacts {
  /** In their order. */
  private readonly groups: Group[] = [];
  private count = 0;

  constructor(private readonly nowMs: () => number) {}

  add(fact: ToldTrigger): void {
    const nowMs = this.nowMs();
    const last = this.groups.at(-1);
    if (last !== undefined && last.facts.length < GROUP_FACTS && nowMs - last.firstMs < GROUP_MS) {
      last.facts.push(fact);
      last.lastMs = nowMs;
    } else {
      this.forget(nowMs);
      this.groups.push({ firstMs: nowMs, lastMs: nowMs, facts: [fact] });
    }
    this.count += 1;
  }

  ofSite(siteId: string): readonly ToldTrigger[] {
    this.forget(this.nowMs());
    return this.groups.flatMap(({ facts }) => facts.filter((fact) => fact.siteId === siteId));
  }

  private forget(nowMs: number): void {
    for (let [first] = this.groups; first !== undefined; [first] = this.groups) {
      if (nowMs - first.lastMs <= KEEP_MS && this.count - first.facts.length < MAX_FACTS) return;
      this.count -= first.facts.length;
      this.groups.shift();
    }
  }
}
