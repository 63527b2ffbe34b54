import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { type Arena, openArena, type Stand } from './arena.js';
import { asRow, described } from './account.js';
import { buildOldRelease, type OldRelease } from './old-release.js';
import { runNeighbour } from './neighbour/run-neighbour.js';
import { type Pace, runScenario, type Scenario } from './scenario.js';
import { unsoundness } from './soundness.js';
import { BALANCER, ROLLOUTS } from './scenarios/balanced.js';
import { BROKERS, ONE_BROKER } from './scenarios/kafka.js';
import { FAILOVER, POSTGRES } from './scenarios/postgres.js';
import { PROCESSES } from './scenarios/processes.js';
import { RESTORE } from './scenarios/restore.js';
import { SURROUNDINGS } from './scenarios/surroundings.js';
import { TWO_VERSIONS } from './scenarios/upgrade.js';

/** Scenarios that move Postgres from its small disk, or need their own brokers, come last. */
const SCENARIOS: readonly Scenario[] = [
  ...PROCESSES,
  ROLLOUTS,
  BALANCER,
  ...ONE_BROKER,
  ...POSTGRES,
  ...SURROUNDINGS,
  FAILOVER,
  BROKERS,
  RESTORE,
  TWO_VERSIONS,
];
/** An area of its own: nothing fails, and one merchant takes what it can. */
const NEIGHBOUR = 'neighbour';
const ANSWERS = 500;
const OPTIONS = { answers: { type: 'string', default: String(ANSWERS) } } as const;
const FAILED = 1;
const USAGE = 2;

/**
 * `npm run chaos`: every scenario, or those with one of the given name prefixes, each on the product with two
 * replicas of every service and its own Kafka and Postgres. Prints one line for each, and the table's rows at
 * the end.
 * @param parameters names, and `--answers <n>`: how many between two steps
 * @returns the exit code
 */
export async function runChaos(parameters: readonly string[]): Promise<number> {
  const { values, positionals: names } = parseArgs({
    args: [...parameters],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [area, ...attacks] = names;
  if (area === NEIGHBOUR) return (await runNeighbour(attacks)) ? 0 : FAILED;
  const pace: Pace = { answers: Number(values.answers), services: SERVICE_NAMES };
  const chosen = SCENARIOS.filter(
    ({ name }) => names.length === 0 || names.some((begin) => name.startsWith(begin)),
  );
  if (chosen.length === 0) {
    console.error(`Name some of: ${SCENARIOS.map(({ name }) => name).join(', ')}; or ${NEIGHBOUR}.`);
    return USAGE;
  }
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
  return failed === 0 ? 0 : FAILED;
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
