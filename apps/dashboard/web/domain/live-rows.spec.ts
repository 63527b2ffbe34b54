import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addArrivals, type Arrival, idOf, MOST_ROWS, NO_ROWS, pauseRows, resumeRows } from './live-rows.js';

const eventOf = (id: string): Arrival => ({
  kind: 'event',
  event: {
    event_id: id,
    event_type: 'page_view',
    session_id: 's',
    user_id: null,
    client_event_id: null,
    request_id: 'r',
    trust: 'server',
    is_bot: false,
    occurred_at: '2026-03-29T00:00:00.000Z',
    received_at: '2026-03-29T00:00:00.000Z',
    properties: {},
    context: {},
  },
});

type Step = 'pause' | 'resume' | readonly string[];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>('pause'),
  fc.constant<Step>('resume'),
  fc.array(fc.integer({ min: 0, max: 60 }).map(String)),
);

describe('live rows', () => {
  it('rows are each event once, newest first, whenever the reader paused', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let live = NO_ROWS;
        for (const one of steps) {
          if (one === 'pause') live = pauseRows(live);
          else if (one === 'resume') live = resumeRows(live);
          else live = addArrivals(live, one.map(eventOf));
        }
        const came = [...new Set(steps.flatMap((one) => (typeof one === 'string' ? [] : one)))];
        expect(resumeRows(live).rows.map(idOf)).toEqual(came.toReversed());
      }),
    );
  });

  it('a pause counts events, holds the newest of them, and shows nothing new', () => {
    const ids = Array.from({ length: MOST_ROWS + 5 }, (_, index) => `event-${index}`);
    const before = addArrivals(NO_ROWS, [eventOf('first')]);
    const gap: Arrival = { kind: 'gap', id: 'gap', count: 3 };
    const paused = addArrivals(pauseRows(before), [gap, ...ids.map(eventOf)]);
    expect([paused.rows.map(idOf), paused.heldEvents]).toEqual([['first'], MOST_ROWS + 5]);
    const resumed = resumeRows(paused).rows.map(idOf);
    expect([resumed.length, resumed[0], resumed.at(-1)]).toEqual([MOST_ROWS, ids.at(-1), 'event-5']);
  });
});
