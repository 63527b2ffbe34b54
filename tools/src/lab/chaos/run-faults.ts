import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Arena, openArena, type Stand } from './arena.js';
import { asRow, described } from './account.js';
import { buildOldRelease, type OldRelease } from './old-release.js';
import { type Pace, runScenario, type Scenario } from './scenario.js';
import { unsoundness } from './soundness.js';
import { BALANCER, ROLLOUTS } from './scenarios/balanced.js';
import { BROKERS, ONE_BROKER, ROLLING_BROKERS } from './scenarios/kafka.js';
import { FAILOVER, POSTGRES } from './scenarios/postgres.js';
import { PROCESSES } from './scenarios/processes.js';
import { RESTORE } from './scenarios/restore.js';
import { SURROUNDINGS } from './scenarios/surroundings.js';
import { TWO_VERSIONS } from './scenarios/upgrade.js';

/** Scenarios that move Postgres from its small disk, or need their own brokers, come last. */
export const SCENARIOS: readonly Scenario[] = [
  ...PROCESSES,
  ROLLOUTS,
  BALANCER,
  ...ONE_BROKER,
  ...POSTGRES,
  ...SURROUNDINGS,
  FAILOVER,
  ROLLING_BROKERS,
  BROKERS,
  RESTORE,
  TWO_VERSIONS,
];

const FAILED = 1;

/**
 * Each scenario on the product with two replicas of every service and its own Kafka and Postgres. Prints one line for each, and the
 * table's rows at the end.
 * @returns whether all did well
 */
export async function runFaults(chosen: readonly Scenario[], pace: Pace): Promise<boolean> {
  const arenas = new Arenas();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void arenas.close().finally(() => process.exit(FAILED)));
  }
  const rows: string[] = [];
  let failed = 0;
  try {
    for (const scenario of chosen) {
      const row = await runOne(arenas, scenario, pace);
      if (row === undefined) failed += 1;
      else rows.push(row);
    }
  } finally {
    await arenas.close();
  }
  console.log(`\n${rows.join('\n')}`);
  return failed === 0;
}

/** @returns its row, or undefined when it failed */
async function runOne(arenas: Arenas, scenario: Scenario, pace: Pace): Promise<string | undefined> {
  const { name, what } = scenario;
  try {
    const arena = await arenas.for(scenario);
    const lack = scenario.lacks?.(arena);
    if (lack !== undefined) {
      console.log(`${name}: not run, ${lack}`);
      return `| \`${name}\` | ${what} | not run: ${lack} | | | | | |`;
    }
    const told = await runScenario(arena, scenario, pace);
    const unsound = await unsoundness(arena.product, arena.databaseUrl);
    const account = { ...told, faults: [...told.faults, ...unsound] };
    console.log(described(name, account));
    if (account.faults.length === 0) return asRow(name, what, account);
  } catch (error) {
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
  }
  // A failed scenario may have left anything behind.
  await arenas.close();
  return undefined;
}

/** One at a time, reused by later scenarios with the same number of brokers. */
class Arenas {
  private arena: Arena | undefined;
  private stand: Stand | undefined;
  private release: OldRelease | undefined;
  private folder: string | undefined;

  for({ brokers, isUpgrade, isArchived }: Scenario): Promise<Arena> {
    if (isUpgrade === true) return this.ofOldRelease();
    return isArchived === true ? this.archived() : this.at(brokers);
  }

  private async at(stand: Stand): Promise<Arena> {
    if (this.arena !== undefined && this.stand === stand) return this.arena;
    await this.close();
    this.arena = await openArena(stand);
    this.stand = stand;
    return this.arena;
  }

  /** The next scenario starts with the present release again. */
  private async archived(): Promise<Arena> {
    await this.close();
    this.arena = await openArena(1, { isArchived: true });
    return this.arena;
  }

  private async ofOldRelease(): Promise<Arena> {
    await this.close();
    this.folder = mkdtempSync(join(tmpdir(), 'truetally-release-'));
    this.release = await buildOldRelease(this.folder);
    this.arena = await openArena(1, { root: this.release.root });
    return this.arena;
  }

  async close(): Promise<void> {
    const { arena } = this;
    this.arena = undefined;
    this.stand = undefined;
    await arena?.close();
    this.release?.remove();
    this.release = undefined;
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}
