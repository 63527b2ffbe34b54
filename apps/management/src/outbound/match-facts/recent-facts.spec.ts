import { describe, expect, it } from '@jest/globals';
import { RecentFacts } from './recent-facts.js';

function add(recent: RecentFacts, siteId: string, count: number, length = 100): void {
  for (let index = 0; index < count; index += 1)
    recent.add({ topic: '', value: '', siteId, type: String(index), length, read: () => undefined });
}

describe('recent facts', () => {
  it('facts of a site are found in their order for 30 seconds', () => {
    let nowMs = 0;
    const recent = new RecentFacts(() => nowMs);
    add(recent, 'a', 1);
    add(recent, 'b', 1);
    nowMs = 20_000;
    add(recent, 'a', 2);
    expect(recent.ofSite('a').map(({ type }) => type)).toEqual(['0', '0', '1']);
    nowMs = 30_001;
    expect(recent.ofSite('a').map(({ type }) => type)).toEqual(['0', '1']);
    expect(recent.ofSite('b')).toEqual([]);
    nowMs = 60_000;
    expect(recent.ofSite('a')).toEqual([]);
  });

  it('the newest 5,000 facts are kept, however many come within 30 seconds, and few others', () => {
    const recent = new RecentFacts(() => 0);
    add(recent, 'a', 3_000);
    add(recent, 'b', 4_000);
    expect(recent.ofSite('a')).toHaveLength(1_000);
    add(recent, 'a', 5_250);
    expect(recent.ofSite('a').map(({ type }) => type)[0]).toBe('0');
    expect(recent.ofSite('b').length).toBeLessThan(500);
  });

  it('the newest 8 MiB of large facts are kept, and little more', () => {
    const recent = new RecentFacts(() => 0);
    add(recent, 'a', 4_000, 65_536);
    const kept = recent.ofSite('a');
    expect(kept.at(-1)?.type).toBe('3999');
    expect(kept.length).toBeGreaterThanOrEqual(128);
    expect(kept.length).toBeLessThan(150);
  });
});
