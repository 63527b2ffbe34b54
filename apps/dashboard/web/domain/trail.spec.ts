import { describe, expect, it } from '@jest/globals';
import type { Trail, TrailItem } from '@truetally/node';
import { joinTrails, namesOfId } from './trail.js';

const item = (given: Partial<TrailItem>): TrailItem => ({
  outcome: 'stored',
  request_id: 'r',
  index: 0,
  received_at: '2026-01-01T00:00:00.000Z',
  event_id: 'e',
  event_type: 'page_view',
  client_event_id: null,
  trust: 'server',
  is_bot: false,
  duplicate_of: null,
  error: null,
  report: 'counted',
  deliveries: [],
  ...given,
});

const trail = (items: readonly TrailItem[], given: Partial<Trail> = {}): Trail => ({
  items: [...items],
  next_cursor: null,
  searched: { stored_since: null, refused_since: '2026-01-01T00:00:00.000Z' },
  ...given,
});

describe('the trail of an id', () => {
  it('only a UUID can be the id of an event', () => {
    expect(namesOfId('6F9619FF-8b86-4d01-b42d-00cf4fc964ff')[0]).toBe('event_id');
    expect(namesOfId('order-1')).toEqual(['client_event_id', 'request_id']);
  });

  it('trails are joined: each item once, newest first, and a request in its order', () => {
    const [first, second] = [item({ index: 0 }), item({ index: 1, event_id: 'f' })];
    const newer = item({ received_at: '2026-01-02T00:00:00.000Z', request_id: 'later' });
    const joined = joinTrails([trail([second, first]), trail([newer, first])]);
    expect(joined.items).toEqual([newer, first, second]);
    expect(joined.isCut).toBe(false);
  });

  it('the search goes as far back as that of all trails', () => {
    const searched = { stored_since: '2025-01-01T00:00:00.000Z', refused_since: '2026-01-05T00:00:00.000Z' };
    const joined = joinTrails([trail([]), trail([], { searched, next_cursor: 'next' })]);
    expect(joined).toEqual({ items: [], isCut: true, searched });
  });
});
