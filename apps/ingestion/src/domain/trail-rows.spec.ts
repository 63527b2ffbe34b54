import { describe, expect, it } from '@jest/globals';
import { NO_REFUSALS, type Refusals, type StoredVerdict } from '@truetally/contracts/events';
import { anEvent, aRequest } from '../testing/requests.js';
import { type SettledRequest, trailOf } from './settle-requests.js';

const AT = '2026-01-31T09:30:00.000Z';
const EVENTS = [
  anEvent({ event_id: 'new', index: 0 }),
  anEvent({ event_id: 'known', index: 1, client_event_id: 'mine', is_bot: true }),
  anEvent({ event_id: 'gone', index: 2, event_type: 'add_to_cart', client_event_id: 'theirs' }),
];
const VERDICTS = ['stored', 'duplicate', 'refused'] as const;
const REFUSED: Refusals['items'][number] = {
  requestId: 'another',
  index: 3,
  eventType: null,
  clientEventId: null,
  trust: 'browser',
  code: 'VALIDATION_ERROR',
  field: 'session_id',
  rule: 'is missing',
  status: null,
};

/** A request of the events, whose verdicts are given. */
function settledAs(
  verdicts: readonly StoredVerdict['verdict'][],
  given: Partial<SettledRequest> = {},
  items: Refusals['items'] = [],
): SettledRequest {
  return {
    request: aRequest(EVENTS.slice(0, verdicts.length), {
      siteId: 'site',
      requestId: 'request',
      refusals: { ...NO_REFUSALS, items },
    }),
    isErased: false,
    verdicts: verdicts.map((verdict) => ({ verdict, receivedAt: AT })),
    published: [],
    storedRows: verdicts.filter((verdict) => verdict === 'stored').length,
    evidence: 'unknown',
    conflicts: 0,
    refused: 0,
    ...given,
  };
}

const all = (): boolean => true;

describe('the trail of a transaction', () => {
  it('the trail has each duplicate and each refused item, and nothing of what was stored', () => {
    const item = { siteId: 'site', requestId: 'request', trust: 'server' };
    expect(trailOf([settledAs(VERDICTS, {}, [REFUSED])], all)).toEqual([
      {
        ...item,
        ...{ outcome: 'duplicate', index: 1, eventType: 'product_view', clientEventId: 'mine' },
        ...{ eventId: 'known', isBot: true, code: null, field: null, rule: null, status: null },
      },
      {
        ...item,
        ...{ outcome: 'refused', index: 2, eventType: 'add_to_cart', clientEventId: 'theirs' },
        ...{ eventId: null, isBot: null, code: 'FORBIDDEN', field: 'user_id' },
        ...{ rule: 'names a person who was erased', status: null },
      },
      { ...REFUSED, siteId: 'site', outcome: 'refused', eventId: null, isBot: null },
    ]);
  });

  it('the trail has nothing of a request that stored everything', () => {
    expect(trailOf([settledAs(['stored'])], all)).toEqual([]);
    expect(trailOf([settledAs([])], all)).toEqual([]);
  });

  it('the trail has what was refused beside events that were all stored', () => {
    expect(trailOf([settledAs(['stored'], {}, [REFUSED])], all)).toMatchObject([{ index: 3 }]);
  });

  it('the trail has the items of a request whose events are all duplicates', () => {
    const twice = settledAs(['duplicate', 'duplicate']);
    expect(trailOf([twice], all).map(({ eventId }) => eventId)).toEqual(['new', 'known']);
  });

  it('the trail has a request once, however often it is delivered, and none of an erased site', () => {
    const [first, again] = [settledAs(VERDICTS), settledAs(VERDICTS)];
    const erased = settledAs([], { isErased: true }, [REFUSED]);
    expect(trailOf([first, again, erased], (one) => one !== again)).toHaveLength(2);
  });
});
