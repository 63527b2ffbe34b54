import { describe, expect, it } from '@jest/globals';
import { failedItems } from '@truetally/contracts/events';
import fc from 'fast-check';
import { anEvent, aRequest, refusing } from '../testing/requests.js';
import type { Candidate, PlacedRequest, StoredKey } from './placed-request.js';
import { countRequests, distinctEvents, settleRequests } from './settle-requests.js';

const EARLIER = '2026-01-30T00:00:00.000Z';
const NOW = '2026-01-31T09:30:00.000Z';
const NO_SITE: ReadonlySet<string> = new Set();
const NOBODY: ReadonlySet<string> = new Set();

function storedBy(request: PlacedRequest, eventId: string, contentHash = '-42'): StoredKey {
  const { correlationId } = request;
  return { eventId, receivedAt: EARLIER, correlationId, contentHash };
}

describe('settling requests', () => {
  it('orders events by id, each with the request that brought it first', () => {
    const [b, a] = [anEvent({ event_id: 'b' }), anEvent({ event_id: 'a' })];
    const [first, second] = [aRequest([b]), aRequest([a, b])];
    expect(distinctEvents([first, second]).map(({ request, event }) => [event.event_id, request])).toEqual([
      ['a', second],
      ['b', first],
    ]);
  });

  it('sorts events in the same way in every transaction', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    fc.assert(
      fc.property(fc.shuffledSubarray(ids, { minLength: ids.length }), (shuffled) => {
        const request = aRequest(shuffled.map((event_id) => anEvent({ event_id })));
        expect(distinctEvents([request]).map(({ event }) => event.event_id)).toEqual(ids);
      }),
    );
  });

  it('makes an event new for the request that stored it, and a duplicate for any other', () => {
    const event = anEvent();
    const [owner, other] = [aRequest([event]), aRequest([event])];
    const known = new Map([[event.event_id, storedBy(owner, event.event_id)]]);
    const [again, duplicate] = settleRequests([owner, other], {
      receivedAt: NOW,
      fresh: new Map(),
      known,
      erased: NO_SITE,
      refused: NOBODY,
    });
    expect(again).toMatchObject({
      verdicts: [{ verdict: 'stored', receivedAt: EARLIER }],
      published: [{ event, receivedAt: EARLIER }],
      storedRows: 0,
      evidence: 'handled-before',
    });
    expect(duplicate).toMatchObject({
      verdicts: [{ verdict: 'duplicate', receivedAt: EARLIER }],
      published: [],
      evidence: 'unknown',
    });
  });

  it('an event of an erased person is refused, whoever stored it, and the others of its request are not', () => {
    const [gone, kept] = [anEvent(), anEvent()];
    const request = aRequest([gone, kept]);
    const [settled] = settleRequests([request], {
      receivedAt: NOW,
      fresh: new Map([[kept.event_id, { request, event: kept }]]),
      known: new Map([[gone.event_id, storedBy(request, gone.event_id)]]),
      erased: NO_SITE,
      refused: new Set([gone.event_id]),
    });
    expect(settled).toMatchObject({
      verdicts: [
        { verdict: 'refused', receivedAt: NOW },
        { verdict: 'stored', receivedAt: NOW },
      ],
      published: [{ event: kept }],
      storedRows: 1,
      refused: 1,
    });
  });

  it('identifies a request only by its correlation id, not by its position in the log or its caller’s id', () => {
    const event = anEvent();
    const request = aRequest([event]);
    const copy = { ...request, place: { partition: 5, offset: '999' }, requestId: 'other' };
    const stranger = { ...aRequest([event]), place: request.place, requestId: request.requestId };
    const outcome = {
      receivedAt: NOW,
      fresh: new Map(),
      known: new Map<string, StoredKey>(),
      erased: NO_SITE,
      refused: NOBODY,
    };
    outcome.known.set(event.event_id, storedBy(request, event.event_id));
    const verdicts = settleRequests([copy, stranger], outcome).map((one) => one.verdicts[0]?.verdict);
    expect(verdicts).toEqual(['stored', 'duplicate']);
  });

  it('counts a replay with other content as a conflict, within one request too', () => {
    const event = anEvent();
    const changed = { ...event, content_hash: '1' };
    const request = aRequest([event, changed, event, changed]);
    const fresh = new Map([[event.event_id, { request, event }]]);
    const outcome = {
      receivedAt: NOW,
      fresh,
      known: new Map<string, StoredKey>(),
      erased: NO_SITE,
      refused: NOBODY,
    };
    expect(settleRequests([request], outcome)).toMatchObject([
      { conflicts: 2, storedRows: 1, evidence: 'stores-now', isErased: false },
    ]);
  });

  it('gives a request of an erased site no verdict, publishes nothing of it and counts nothing', () => {
    const request = aRequest([anEvent()], { refusals: refusing(2) });
    const outcome = {
      receivedAt: NOW,
      fresh: new Map<string, Candidate>(),
      known: new Map<string, StoredKey>(),
      erased: new Set([request.siteId]),
      refused: NOBODY,
    };
    const settled = settleRequests([request], outcome);
    expect(settled).toMatchObject([{ isErased: true, verdicts: [], published: [], storedRows: 0 }]);
    expect(countRequests(settled, (one) => one.evidence !== 'handled-before')).toEqual([]);
  });

  it('refuses to answer for an event that is neither new nor stored', () => {
    const outcome = {
      receivedAt: NOW,
      fresh: new Map<string, Candidate>(),
      known: new Map<string, StoredKey>(),
      erased: NO_SITE,
      refused: NOBODY,
    };
    expect(() => settleRequests([aRequest([anEvent()])], outcome)).toThrow('neither new nor stored');
  });

  it('always balances: received = stored + deduplicated + failed, and stored = the fresh rows', () => {
    const keys = Array.from({ length: 6 }, (_, index) => `key-${index}`);
    const requests = fc.array(
      fc.record({
        keys: fc.array(fc.constantFrom(...keys), { maxLength: 5 }),
        failed: fc.nat(3),
        site: fc.constantFrom('site-a', 'site-b'),
        twice: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(requests, fc.subarray(keys), (given, stored) => {
        const batch = given.flatMap(({ keys: ids, failed, site, twice }) => {
          const request = aRequest(
            ids.map((event_id) => anEvent({ event_id })),
            { refusals: refusing(failed), siteId: site },
          );
          return twice ? [request, request] : [request];
        });
        const before = aRequest([]);
        const known = new Map(stored.map((id) => [id, storedBy(before, id)]));
        const fresh = new Map(
          distinctEvents(batch)
            .filter(({ event }) => !known.has(event.event_id))
            .map((candidate) => [candidate.event.event_id, candidate]),
        );
        const settled = settleRequests(batch, {
          receivedAt: NOW,
          fresh,
          known,
          erased: NO_SITE,
          refused: NOBODY,
        });
        const counts = countRequests(settled, (one) => one.evidence !== 'handled-before');
        for (const one of counts) {
          expect(one.received).toBe(one.stored + one.deduplicated + one.failed);
          const reasons = [...one.reasons.values()].reduce((sum, { count }) => sum + count, 0);
          expect(reasons).toBe(one.failed);
        }
        expect(counts.reduce((sum, one) => sum + one.stored, 0)).toBe(fresh.size);
        const unique = new Set(batch);
        const sent = [...unique].reduce((sum, one) => sum + one.events.length + failedItems(one.refusals), 0);
        expect(counts.reduce((sum, one) => sum + one.received, 0)).toBe(sent);
      }),
    );
  });
});
