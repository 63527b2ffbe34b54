import { describe, expect, it } from '@jest/globals';
import { readEventSearch } from './event-search.js';
import { EVENT_TYPES } from './event-types.js';

describe('events in the address', () => {
  it('what the API knows narrows the list', () => {
    const search = { event_type: 'purchase', session_id: 's', client_event_id: 'c', request_id: 'r' };
    expect(readEventSearch(search)).toEqual(search);
  });

  it('an id of digits alone is an id', () => {
    expect(readEventSearch({ session_id: 17 })).toEqual({ session_id: '17' });
  });

  it('a broken part falls away', () => {
    expect(
      readEventSearch({ event_type: 'toString', session_id: 'x'.repeat(129), request_id: {}, other: 1 }),
    ).toEqual({});
  });

  it('every type of the API can be chosen', () => {
    expect(EVENT_TYPES.length).toBe(18);
    expect(EVENT_TYPES).toContain('partner_link_click');
  });
});
