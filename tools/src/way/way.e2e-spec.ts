import { beforeAll, describe, expect, it } from '@jest/globals';
import { testStack } from '@truetally/testing';
import type { Passed } from './read-way.js';
import { countsOf } from './run-way.js';
import { traceWay } from './trace-way.js';

const MOST_OF_GATEWAY = 28;
/** Of the gateway, messaging without the driver's encoding, and the service. */
const MOST = 58;

describe('the way of an event through its files', () => {
  let passed: readonly Passed[];

  beforeAll(async () => {
    passed = await traceWay('events/track', testStack());
  });

  const visitedTwice = (project: string): readonly string[] =>
    passed.filter(({ file, visits }) => file.startsWith(project) && visits > 1).map(({ file }) => file);

  it(`an event passes at most ${MOST_OF_GATEWAY} files of the gateway, none of them twice`, () => {
    expect(visitedTwice('apps/gateway')).toEqual([]);
    expect(countsOf(passed).get('apps/gateway')).toBeLessThanOrEqual(MOST_OF_GATEWAY);
  });

  it(`an event passes at most ${MOST} files of the gateway, messaging and the service`, () => {
    const counts = countsOf(passed);
    const files = ['apps/gateway', 'libs/messaging', 'apps/ingestion'].map(
      (project) => counts.get(project) ?? 0,
    );
    expect(Math.min(...files)).toBeGreaterThan(0);
    expect(files.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST);
  });

  it('the files are in the order of the request', () => {
    const files = passed.map(({ file }) => file);
    const order = [
      'apps/gateway/src/door/lane/lane.ts',
      'apps/gateway/src/door/steps/credential.ts',
      'apps/gateway/src/events/event-tracker.ts',
      'apps/ingestion/src/track-event/track-event.handler.ts',
      'apps/gateway/src/http/respond.ts',
    ].map((file) => files.indexOf(file));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((left, right) => left - right));
  });
});
