import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Arena, openArena, type Stand } from './arena.js';
import { type Pace, runScenario, type Scenario } from './scenario.js';
import { BROKERS, DISK_FULL as BROKER_DISK_FULL } from './scenarios/kafka.js';
import { DISK_FULL, FAILOVER, READ_ONLY, SCHEMA_AHEAD, STUCK } from './scenarios/postgres.js';
import { ROLLING_RESTART, STOPPED } from './scenarios/processes.js';
import { CLOCK_JUMP, POISON, SLOW_NETWORK } from './scenarios/surroundings.js';

/** The short form of `npm run chaos`: whoever is killed has tests of his own (docs/reliability.md). */
const SHORT: Pace = { answers: 40, services: ['gateway', 'ingestion'] };

/** Nothing that was answered is lost or doubled, and no client gets another failure than the scenario allows. */
async function expectNothingLost(arena: Arena, scenario: Scenario): Promise<void> {
  const { accepted, stored, duplicated, lost, faults } = await runScenario(arena, scenario, SHORT);
  expect(faults).toEqual([]);
  expect({ stored, duplicated, lost }).toEqual({ stored: accepted, duplicated: 0, lost: 0 });
}

describe.each<{ name: string; brokers: Stand; scenarios: readonly Scenario[] }>([
  {
    name: 'one broker',
    brokers: 1,
    scenarios: [
      ROLLING_RESTART,
      SCHEMA_AHEAD,
      ...STOPPED.filter(({ name }) => name === 'stopped-ingestion'),
      READ_ONLY,
      STUCK,
      SLOW_NETWORK,
      CLOCK_JUMP,
      POISON,
      DISK_FULL,
      BROKER_DISK_FULL,
      FAILOVER,
    ],
  },
  { name: 'three brokers', brokers: 3, scenarios: [BROKERS] },
])('the product on $name', ({ brokers, scenarios }) => {
  let arena: Arena;

  beforeAll(async () => {
    arena = await openArena(brokers);
  });

  afterAll(() => arena.close());

  it.each(scenarios)('$name: $what', async (scenario) => {
    const lack = scenario.lacks?.(arena);
    // Only a file system of one's own can be filled; where none may be mounted, that is all there is to say.
    if (lack !== undefined) expect(lack).toBe('no file system may be mounted here');
    else await expectNothingLost(arena, scenario);
  });
});
