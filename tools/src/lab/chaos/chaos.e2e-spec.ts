import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAULTS_KILL, FAULTS_NEED, whatClientsSeeOfFaults } from '../../testing/faults/faults-suite.js';
import { type Arena, openArena } from './arena.js';
import { type Load } from './load.js';
import { type Pace, runScenario, type Scenario } from './scenario.js';
import { KILLED_BROKER } from './scenarios/kafka.js';
import { DISK_FULL, FAILOVER, READ_ONLY, SCHEMA_AHEAD, STUCK } from './scenarios/postgres.js';
import { restartOne, STOPPED } from './scenarios/processes.js';
import { CLOCK_JUMP, POISON, SLOW_NETWORK } from './scenarios/surroundings.js';
import { unsoundness } from './soundness.js';

/**
 * The short form of `npm run chaos`: killed processes and lost brokers have tests of their own
 * (docs/reliability.md).
 */
const SHORT: Pace = { answers: 6, services: ['gateway', 'ingestion'], pauseMs: 3_000 };

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

/**
 * An upgrade in the order of a deployment: its migrations first, then new processes, of which each serves alone at last: the gateway
 * here, ingestion when the other one is stopped in the next scenario.
 */
const RESTARTED_ON_NEXT_SCHEMA: Scenario = {
  ...SCHEMA_AHEAD,
  what: 'every table of every service gets the additions of a next release; then one of two replicas is restarted on it, and is alone',
  run: async (arena, load, pace) => {
    await SCHEMA_AHEAD.run(arena, load, { ...pace, services: [] });
    for (const service of pace.services) {
      const [, newest] = arena.product.processes(service);
      if (newest !== undefined) await restartOne(arena, newest, load);
    }
    const [older] = arena.product.gateways;
    if (older === undefined) throw new Error('There is no gateway.');
    load.mark();
    arena.rotation.takeOut(older);
    await load.recovered();
    arena.rotation.putBack(older);
  },
};

const SCENARIOS: readonly Scenario[] = [
  RESTARTED_ON_NEXT_SCHEMA,
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
