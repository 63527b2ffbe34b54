import { describe, expect, it } from '@jest/globals';
import { EMPTY_SUMS, type Sums } from './account.js';
import type { SessionChange } from './fold-session.js';
import { dayOf, SumChanges } from './sum-changes.js';

const HOUR_MS = 3_600_000;
const CONTROL = { experimentId: 'e1', variant: 'control' } as const;
const TREATMENT = { experimentId: 'e1', variant: 'treatment' } as const;

function changed(
  hours: Readonly<Record<number, Partial<Sums>>>,
  otherCurrencies: Readonly<Record<string, bigint>> = {},
): SessionChange {
  return {
    hours: new Map(Object.entries(hours).map(([hour, sums]) => [Number(hour), { ...EMPTY_SUMS, ...sums }])),
    otherCurrencies: new Map(Object.entries(otherCurrencies)),
  };
}

const revenues = (changes: SumChanges) => ({
  arms: [...changes.arms.values()].map(({ variant, total }) => [variant, total.sums.revenue]),
  hours: [...changes.hours.values()].map(({ variant, hourMs, total }) => [
    variant,
    hourMs,
    total.sums.revenue,
  ]),
});

describe('the changes of an experiment’s sums', () => {
  it('add up by arm and by hour', () => {
    const changes = new SumChanges();
    changes.add(CONTROL, changed({ 0: { revenue: 5n }, [HOUR_MS]: { revenue: 7n } }));
    changes.add(CONTROL, changed({ 0: { revenue: 30n } }));
    changes.add(TREATMENT, changed({ 0: { revenue: 100n } }));
    expect(revenues(changes)).toEqual({
      arms: [
        ['control', 42n],
        ['treatment', 100n],
      ],
      hours: [
        ['control', 0, 35n],
        ['control', HOUR_MS, 7n],
        ['treatment', 0, 100n],
      ],
    });
  });

  it('add up orders in other currencies, also those that no longer count', () => {
    const changes = new SumChanges();
    changes.add(CONTROL, changed({}, { USD: 1n, GBP: -1n }));
    changes.add(TREATMENT, changed({}, { USD: 1n, JPY: 1n }));
    expect([...changes.currencies.values()]).toEqual([
      { experimentId: 'e1', currency: 'USD', orders: 2n },
      { experimentId: 'e1', currency: 'GBP', orders: -1n },
      { experimentId: 'e1', currency: 'JPY', orders: 1n },
    ]);
  });

  it('count each session in each of its parts, by arm', () => {
    const changes = new SumChanges();
    const [day, awin] = [
      { dimension: 'day', value: '2026-01-31' },
      { dimension: 'provider', value: 'awin' },
    ] as const;
    changes.addSession(CONTROL, [day, awin]);
    changes.addSession(TREATMENT, [day]);
    changes.addSession(TREATMENT, [day]);
    changes.addSession({ ...CONTROL, experimentId: 'e2' }, [day]);
    expect([...changes.parts.values()]).toEqual([
      { experimentId: 'e1', ...day, control: 1, treatment: 2 },
      { experimentId: 'e1', ...awin, control: 1, treatment: 0 },
      { experimentId: 'e2', ...day, control: 1, treatment: 0 },
    ]);
  });

  it('the changes of an experiment’s sums are of days in UTC', () => {
    expect(dayOf(Date.parse('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31');
    expect(dayOf(Date.parse('2026-02-01T00:00:00.000Z'))).toBe('2026-02-01');
  });
});
