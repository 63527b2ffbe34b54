import { describe, expect, it } from '@jest/globals';
import type { Exchange } from '../http/exchange.js';
import { BatchTracker } from './batch-tracker.js';
import { EventTracker } from './event-tracker.js';

type Parts = ConstructorParameters<typeof BatchTracker>;

const CLIENT = { store: () => new Promise(() => undefined) } as unknown as Parts[0];
const REFUSALS = { addItems: () => undefined } as unknown as Parts[1];
const EVENT = {
  event_type: 'page_view',
  session_id: 's',
  context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
};

/** @returns how many invalid items the sender of the body was blamed for */
function blamedBy(Tracker: typeof BatchTracker | typeof EventTracker, body: object): number {
  let blamed = 0;
  const exchange = {
    requestId: 'r',
    callerOfSite: () => ({ siteId: 'shop', trust: 'browser' }),
    takeBody: () => body,
    takeTexts: () => undefined,
    blame: (items: number) => (blamed += items),
    request: { takeBody: () => undefined },
    response: { headersSent: true },
  };
  void new Tracker(CLIENT, REFUSALS).track(exchange as unknown as Exchange);
  return blamed;
}

describe('invalid events', () => {
  it('the sender of invalid events is blamed for each, whether it came alone or in a batch', () => {
    expect(blamedBy(EventTracker, { ...EVENT, session_id: '' })).toBe(1);
    expect(blamedBy(EventTracker, EVENT)).toBe(0);
    expect(blamedBy(BatchTracker, { events: [{}, EVENT, { event_type: 'none' }] })).toBe(2);
  });
});
