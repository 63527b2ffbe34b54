import type { ToldTrigger } from '../domain/trigger-fact.js';

const KEEP_MS = 30_000;
const MAX_FACTS = 5_000;
/** Of their texts, in characters: each may be one of 64 KiB. */
const MAX_LENGTH = 8_388_608;
/** They are forgotten together. */
const GROUP_MS = 1_000;
const GROUP_FACTS = 500;
const GROUP_LENGTH = 524_288;

interface Group {
  readonly firstMs: number;
  lastMs: number;
  length: number;
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
  private length = 0;

  constructor(private readonly nowMs: () => number) {}

  add(fact: ToldTrigger): void {
    const nowMs = this.nowMs();
    const group = this.openGroup(nowMs);
    group.facts.push(fact);
    group.lastMs = nowMs;
    group.length += fact.length;
    this.count += 1;
    this.length += fact.length;
  }

  ofSite(siteId: string): readonly ToldTrigger[] {
    this.forget(this.nowMs());
    return this.groups.flatMap(({ facts }) => facts.filter((fact) => fact.siteId === siteId));
  }

  private openGroup(nowMs: number): Group {
    const last = this.groups.at(-1);
    const hasRoom = last !== undefined && last.facts.length < GROUP_FACTS && last.length < GROUP_LENGTH;
    if (hasRoom && nowMs - last.firstMs < GROUP_MS) return last;
    this.forget(nowMs);
    const group: Group = { firstMs: nowMs, lastMs: nowMs, length: 0, facts: [] };
    this.groups.push(group);
    return group;
  }

  private forget(nowMs: number): void {
    for (let [first] = this.groups; first !== undefined; [first] = this.groups) {
      const isFull = this.count - first.facts.length >= MAX_FACTS || this.length - first.length >= MAX_LENGTH;
      if (nowMs - first.lastMs <= KEEP_MS && !isFull) return;
      this.count -= first.facts.length;
      this.length -= first.length;
      this.groups.shift();
    }
  }
}
