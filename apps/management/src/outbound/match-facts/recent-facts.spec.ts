import { describe, expect, it } from '@jest/globals';
import type { ToldTrigger } from '../domain/trigger-fact.js';
import { RecentFacts } from './recent-facts.js';

function factsOf(siteId: string, count: number): readonly ToldTrigger[] {
  return Array.from({ length: count }, (_, index) => ({
    siteId,
    type: String(index),
    read: () => undefined,
  }));
}

describe('recent facts', () => {
  it('facts of a site are found in their order for 30 seconds', () => {
    let nowMs = 0;
    const recent = new RecentFacts(() => nowMs);
    recent.add(factsOf('a', 1));
    recent.add(factsOf('b', 1));
    nowMs = 20_000;
    recent.add(factsOf('a', 2));
    expect(recent.ofSite('a').map(({ type }) => type)).toEqual(['0', '0', '1']);
    nowMs = 30_001;
    recent.add([]);
    expect(recent.ofSite('a').map(({ type }) => type)).toEqual(['0', '1']);
    expect(recent.ofSite('b')).toEqual([]);
    nowMs = 60_000;
    recent.add([]);
    expect(recent.ofSite('a')).toEqual([]);
  });

  it('the newest 5,000 facts are kept, however many come within 30 seconds', () => {
    const recent = new RecentFacts(() => 0);
    recent.add(factsOf('a', 3_000));
    recent.add(factsOf('b', 4_000));
    expect(recent.ofSite('a')).toHaveLength(1_000);
    recent.add(factsOf('a', 5_001));
    expect(recent.ofSite('a').map(({ type }) => type)[0]).toBe('1');
    expect(recent.ofSite('b')).toEqual([]);
  });
});
