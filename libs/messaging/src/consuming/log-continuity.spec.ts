import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type KafkaMessage } from 'kafkajs';
import { LogContinuity } from './log-continuity.js';

/** A record as the driver returns it. */
interface Written {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly timestamp: number;
}

function messageOf({ offset, leaderEpoch, timestamp }: Written): KafkaMessage {
  const message = {
    key: null,
    value: null,
    attributes: 0,
    offset: String(offset),
    timestamp: String(timestamp),
    headers: {},
    batchContext: { partitionLeaderEpoch: leaderEpoch },
  };
  return message;
}

/** A log: offsets one after the other, epochs and times that never fall. */
function logOf(
  steps: readonly { readonly isRestarted: boolean; readonly laterMs: number }[],
  from = 0,
): Written[] {
  let [leaderEpoch, timestamp] = [from, 1_000 * from];
  return steps.map(({ isRestarted, laterMs }, offset) => {
    if (isRestarted) leaderEpoch++;
    timestamp += laterMs;
    return { offset, leaderEpoch, timestamp };
  });
}

const steps = fc.array(fc.record({ isRestarted: fc.boolean(), laterMs: fc.nat({ max: 3 }) }), {
  minLength: 1,
  maxLength: 40,
});
const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 10 });

/**
 * Reads a log in fetches of so many records and returns the result.
 * @returns offsets taken, in order; undefined when the log was found to be replaced
 */
function read(
  continuity: LogContinuity,
  log: readonly Written[],
  from: number,
  sizes: readonly number[],
): readonly number[] | undefined {
  const taken: number[] = [];
  let position = from;
  for (let fetch = 0; position < log.length; fetch++) {
    if (fetch > 200) throw new Error('It never ends.');
    const fetched = log.slice(position, position + (sizes[fetch % sizes.length] ?? 1));
    const verdict = continuity.judge(fetched.map(messageOf));
    if (verdict.kind === 'another-log') return undefined;
    if (verdict.kind === 'look-back') position = verdict.offset;
    else {
      taken.push(...verdict.messages.map(({ offset }) => Number(offset)));
      position += fetched.length;
    }
  }
  return taken;
}

describe('a log that is the same', () => {
  it('a log that is the same is read whole, each record once, through any leaders, fetches and joins', () => {
    fc.assert(
      fc.property(steps, cuts, fc.nat(), (history, sizes, half) => {
        const log = logOf(history);
        const continuity = new LogContinuity(true);
        const middle = half % (log.length + 1);
        const first = read(continuity, log.slice(0, middle), 0, sizes);
        const rest = read(continuity, log, continuity.lookBack() ?? 0, sizes);
        expect([...(first ?? []), ...(rest ?? [])]).toEqual(log.map(({ offset }) => offset));
      }),
    );
  });

  it('a log that is the same may come again from before, as after a join of a group', () => {
    fc.assert(
      fc.property(steps, cuts, fc.nat(), (history, sizes, back) => {
        const log = logOf(history);
        const continuity = new LogContinuity(false);
        read(continuity, log, 0, sizes);
        continuity.rejoin();
        expect(read(continuity, log, back % log.length, sizes)).toBeDefined();
      }),
    );
  });
});

describe('a log restored from an older copy', () => {
  /** What was read, and the log after the restore: its first records, and others after them. */
  const restored = fc.tuple(steps, fc.nat(), steps).map(([history, kept, later]) => {
    const before = logOf(history);
    const copy = before.slice(0, kept % before.length);
    const epochs = before.length + 1;
    const after = logOf(later, epochs).map((record) => ({ ...record, offset: record.offset + copy.length }));
    return { before, copy, log: [...copy, ...after] };
  });

  it('a restored log is noticed at the next record, however far it has grown again', () => {
    fc.assert(
      fc.property(restored, cuts, fc.boolean(), ({ before, copy, log }, sizes, isGoneAnother) => {
        // The driver continues, or seeks to the last record, or a group to its committed offset.
        const ways = [before.length, before.length - 1, copy.length].filter((from) => from < log.length);
        for (const from of ways) {
          const each = new LogContinuity(isGoneAnother);
          read(each, before, 0, sizes);
          if (from === before.length - 1) each.lookBack();
          expect(read(each, log, from, sizes)).toBeUndefined();
        }
      }),
    );
  });

  it('a restored log is another one for a table when the last record read is missing, not for a group', () => {
    const log = logOf(Array.from({ length: 6 }, () => ({ isRestarted: false, laterMs: 1 })));
    for (const isGoneAnother of [true, false]) {
      const continuity = new LogContinuity(isGoneAnother);
      read(continuity, log.slice(0, 3), 0, [3]);
      continuity.lookBack();
      expect(read(continuity, log, 4, [2])).toEqual(isGoneAnother ? undefined : [4, 5]);
    }
  });

  it('starts again after it was dropped', () => {
    const log = logOf(Array.from({ length: 4 }, () => ({ isRestarted: true, laterMs: 1 })));
    const continuity = new LogContinuity(true);
    read(continuity, log, 0, [2]);
    continuity.forget();
    expect([continuity.lookBack(), continuity.isComparing, continuity.lastTimestampMs]).toEqual([
      undefined,
      false,
      undefined,
    ]);
    expect(read(continuity, log, 0, [2])).toEqual([0, 1, 2, 3]);
  });
});
