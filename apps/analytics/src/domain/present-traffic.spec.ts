import { describe, expect, it } from '@jest/globals';
import { presentBreakdown } from './present-traffic.js';

const STEPS = ['page_view', 'purchase'];

describe('the breakdown of a funnel', () => {
  it('a breakdown shows the values with the most sessions, and all others together', () => {
    const many = Array.from({ length: 450 }, (_, n): [string, number[]] => [`device-${n}`, [1_000 - n, 1]]);
    const parts = presentBreakdown(STEPS, new Map<string | null, number[]>([...many, [null, [5, 0]]]));
    expect(parts.length).toBe(401);
    expect([parts[0]?.value, parts[399]?.value, parts[400]?.value]).toEqual(['device-0', 'device-399', null]);
    const shown = parts.reduce((sum, { steps }) => sum + (steps[0]?.sessions ?? 0), 0);
    expect(shown).toBe(many.reduce((sum, [, counts]) => sum + (counts[0] ?? 0), 5));
  });

  it('a share is of the sessions of the first step', () => {
    expect(presentBreakdown(STEPS, new Map([['mobile', [4, 1]]]))).toEqual([
      {
        value: 'mobile',
        steps: [
          { event_type: 'page_view', sessions: 4, share: 1 },
          { event_type: 'purchase', sessions: 1, share: 0.25 },
        ],
      },
    ]);
  });
});
