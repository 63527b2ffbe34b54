import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FunnelFold, type StepEvent } from './funnel.js';

/** A plain reading: every start, and from it every way through the later events. */
function reachedBy(events: readonly StepEvent[], steps: readonly string[], window: number): number {
  const furthest = (index: number, step: number, start: number): number => {
    if (step === steps.length) return step;
    let best = step;
    for (let next = index; next < events.length; next += 1) {
      const event = events[next];
      if (event === undefined || event.eventType !== steps[step] || event.at - start > window) continue;
      best = Math.max(best, furthest(next + 1, step + 1, start));
    }
    return best;
  };
  return Math.max(
    0,
    ...events.map((event, index) => (event.eventType === steps[0] ? furthest(index + 1, 1, event.at) : 0)),
  );
}

function fold(events: readonly StepEvent[], steps: readonly string[], window: number) {
  const funnel = new FunnelFold(steps, window);
  for (const event of events) funnel.take(event);
  return funnel.finish();
}

const at = (sessionKey: string, eventType: string, when: number, value: string | null = null): StepEvent => ({
  sessionKey,
  eventType,
  at: when,
  value,
});

describe('a funnel', () => {
  it('a funnel counts what a plain reading of all events finds, for any steps, also repeated ones', () => {
    const types = fc.constantFrom('a', 'b', 'c');
    const session = fc.array(fc.tuple(types, fc.nat(6)), { maxLength: 9 });
    const steps = fc.array(types, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(session, { maxLength: 4 }), steps, fc.nat(20), (drawn, asked, window) => {
        const sessions = drawn.map((gaps, index) => {
          let now = 0;
          return gaps.map(([type, gap]) => at(`s${index}`, type, (now += gap)));
        });
        const reached = sessions.map((events) => reachedBy(events, asked, window));
        const counts = fold(sessions.flat(), asked, window).get(null) ?? asked.map(() => 0);
        expect(counts).toEqual(asked.map((_, step) => reached.filter((steps) => steps > step).length));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a funnel takes a later start where the first one is too long ago', () => {
    const events = [at('s', 'view', 0), at('s', 'view', 50), at('s', 'buy', 60)];
    expect(fold(events, ['view', 'buy'], 10).get(null)).toEqual([1, 1]);
    expect(fold(events, ['view', 'buy'], 9).get(null)).toEqual([1, 0]);
  });

  it('a funnel keeps a bounded number of values, and loses no session', () => {
    const events = Array.from({ length: 10_500 }, (_, n) => at(`s${n}`, 'view', 0, `device-${n}`));
    const values = fold(events, ['view', 'buy'], 10);
    expect([values.size, values.get(null)]).toEqual([10_001, [500, 0]]);
  });

  it('a session of a breakdown counts where its longest chain began', () => {
    const events = [at('s', 'view', 0, 'phone'), at('s', 'view', 5, 'desktop'), at('s', 'buy', 6, 'phone')];
    expect([...fold(events, ['view', 'buy'], 10)]).toEqual([['desktop', [1, 1]]]);
  });
});
