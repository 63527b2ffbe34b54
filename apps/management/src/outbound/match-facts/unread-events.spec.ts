import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnreadEvents } from './unread-events.js';

const SITES = [randomUUID(), randomUUID()] as const;

function written(siteId: string, type: string): Buffer {
  return Buffer.from(
    JSON.stringify({ event_id: randomUUID(), site_id: siteId, event_type: type, properties: 'ä' }),
  );
}

describe('unread events', () => {
  it('events of a site are found in their order for 30 seconds', () => {
    let nowMs = 0;
    const unread = new UnreadEvents(() => nowMs);
    const types = (siteId: string) => unread.ofSite(siteId).map(({ type }) => type);
    unread.add(written(SITES[0], 'a'));
    unread.add(written(SITES[1], 'b'));
    nowMs = 20_000;
    unread.add(written(SITES[0], 'c'));
    expect(types(SITES[0])).toEqual(['a', 'c']);
    nowMs = 30_001;
    expect(types(SITES[0])).toEqual(['c']);
    expect(types(SITES[1])).toEqual([]);
  });

  it('the newest events that have room are kept unchanged, whatever their lengths', () => {
    const told = fc.array(
      fc.record({ site: fc.constantFrom(...SITES), type: fc.stringMatching(/^[a-zä]{1,300}$/) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(told, fc.integer({ min: 1, max: 20 }), (events, most) => {
        const room = 1_000;
        const unread = new UnreadEvents(() => 0, { events: most, bytes: room });
        const texts = events.map(({ site, type }) => ({ site, type, bytes: written(site, type) }));
        for (const { bytes } of texts) unread.add(bytes);
        for (const siteId of SITES) {
          const own = texts.filter(({ site, bytes }) => site === siteId && bytes.length <= room);
          const kept = unread.ofSite(siteId).map(({ type }) => type);
          expect(kept).toEqual(own.slice(own.length - kept.length).map(({ type }) => type));
        }
        const last = texts.filter(({ bytes }) => bytes.length <= room).at(-1);
        if (last !== undefined) expect(unread.ofSite(last.site).at(-1)?.type).toBe(last.type);
      }),
    );
  });
});
