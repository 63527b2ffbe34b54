import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAULTS_KILL, FAULTS_NEED, whatClientsSeeOfFaults } from '../../testing/faults/faults-suite.js';
import { type Arena, openArena } from './arena.js';
import { type Load } from './load.js';
import { type Pace, runScenario, type Scenario } from './scenario.js';
import { KILLED_BROKER } from './scenarios/kafka.js';
import { DISK_FULL, FAILOVER, READ_ONLY, SCHEMA_AHEAD, STUCK } from './scenarios/postgres.js';
import { ROLLING_RESTART, STOPPED } from './scenarios/processes.js';
import { CLOCK_JUMP, POISON, SLOW_NETWORK } from './scenarios/surroundings.js';
import { unsoundness } from './soundness.js';

/**
 * The short form of `npm run chaos`: killed processes and lost brokers have tests of their own
 * (docs/reliability.md).
 */
const SHORT: Pace = { answers: 12, services: ['gateway', 'ingestion'], pauseMs: 3_000 };

/**
 * Nothing that was answered is lost or duplicated, and no client gets another failure than the scenario
 * allows.
 */
async function expectNothingLost(arena: Arena, scenario: Scenario): Promise<void> {
  const { accepted, stored, duplicated, lost, faults } = await runScenario(arena, scenario, SHORT);
  expect(faults).toEqual([]);
  expect({ stored, duplicated, lost }).toEqual({ stored: accepted, duplicated: 0, lost: 0 });
}

async function during(load: Load, fault: () => Promise<void>): Promise<void> {
  load.mark();
  await fault();
  load.mark();
}

/** An upgrade in the order of a deployment: its migrations first, then a restart of every process. */
const ROLLED_ON_NEXT_SCHEMA: Scenario = {
  ...ROLLING_RESTART,
  name: 'schema-ahead, rolling-restart',
  what: 'every table of every service gets the additions of a next release; then both replicas of every service are restarted in turn',
  run: async (arena, load, pace) => {
    await SCHEMA_AHEAD.run(arena, load, { ...pace, services: [] });
    await ROLLING_RESTART.run(arena, load, pace);
  },
};

const SCENARIOS: readonly Scenario[] = [
  ROLLED_ON_NEXT_SCHEMA,
  ...STOPPED.filter(({ name }) => name === 'stopped-ingestion'),
  READ_ONLY,
  STUCK,
  SLOW_NETWORK,
  CLOCK_JUMP,
  POISON,
  DISK_FULL,
  FAILOVER,
];

describe('the product', () => {
  let arena: Arena;

  beforeAll(async () => {
    arena = await openArena(1, {
      replicated: SHORT.services,
      apart: FAULTS_KILL,
      env: FAULTS_NEED,
      hasFewPartitions: true,
    });
  });

  afterAll(() => arena.close());

  // First, because a scenario moves Postgres.
  whatClientsSeeOfFaults(
    () => arena,
    (fault) => expectNothingLost(arena, { ...KILLED_BROKER, run: (_arena, load) => during(load, fault) }),
  );

  it.each(SCENARIOS)('$name: $what', async (scenario) => {
    const lack = scenario.lacks?.(arena);
    // Only a separate file system can be filled; where mounting is not permitted, the test ends here.
    if (lack !== undefined) expect(lack).toBe('no file system may be mounted here');
    else await expectNothingLost(arena, scenario);
  });

  // Once, because it reads every fact and every sum since the first scenario.
  it('sums are right and facts well-formed after all scenarios', async () => {
    await expect(unsoundness(arena.product, arena.databaseUrl)).resolves.toEqual([]);
  });
});
