import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunOutcomes } from './run-outcomes.js';

const fault = (row: number) => ({ row, field: 'price', message: 'is wrong' });

describe('what a reading reports', () => {
  it('a report is repeated until the next question shows that it was saved', () => {
    const outcomes = new RunOutcomes(0);
    outcomes.add(1, 10, [fault(3), { ...fault(3), field: 'title' }]);
    const first = { cursor: '10', found: 10, done: 10, stored: 9, failed: 1 };
    expect(outcomes.report()).toMatchObject(first);
    expect(outcomes.acknowledge(0)).toBe(true);
    expect(outcomes.report()).toMatchObject(first);
    outcomes.add(11, 12, []);
    expect(outcomes.acknowledge(10)).toBe(true);
    expect(outcomes.report()).toMatchObject({ cursor: '12', done: 2, errors: [] });
    expect(outcomes.acknowledge(0)).toBe(false);
  });

  it('a reading that an old question has begun does not report what was saved since', () => {
    const outcomes = new RunOutcomes(0);
    expect(outcomes.acknowledge(10)).toBe(true);
    outcomes.add(1, 10, [fault(3)]);
    outcomes.add(11, 12, []);
    expect(outcomes.report()).toMatchObject({ cursor: '12', done: 2, failed: 0, errors: [] });
  });

  it('each row is counted once, wherever a reading begins anew', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, sizes, fc.nat(60), (before, after, bad) => {
        let [cursor, done, failed] = [0, 0, 0];
        const readAll = (parts: readonly number[]): number => {
          const outcomes = new RunOutcomes(cursor);
          let row = 0;
          for (const size of parts) {
            outcomes.add(row + 1, row + size, row < bad && bad <= row + size ? [fault(bad)] : []);
            row += size;
          }
          const report = outcomes.report();
          cursor = Number(report.cursor);
          [done, failed] = [done + report.done, failed + report.failed];
          return row;
        };
        const rows = Math.max(readAll(before), readAll(after));
        expect([done, failed]).toEqual([rows, bad > 0 && bad <= rows ? 1 : 0]);
      }),
    );
  });
});
