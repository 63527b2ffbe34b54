import { type ServiceName } from '@truetally/contracts/services';
import { type Account, accountOf } from './account.js';
import { type Arena, type Stand } from './arena.js';
import { lanesOf } from './lanes.js';
import { type Failure, Load } from './load.js';

/** A fault, and how the product is seen through it by its clients. */
export interface Scenario {
  readonly name: string;
  /** What is done, in a few words. */
  readonly what: string;
  readonly brokers: Stand;
  /** Begins with the build of the release before. */
  readonly isUpgrade?: boolean;
  /** How connections may fail: of who spoke to what was ended. 503 with `Retry-After` may always come. */
  readonly mayFail: readonly Failure[];
  /** What this machine lacks for it, in words; undefined where nothing. */
  readonly lacks?: (arena: Arena) => string | undefined;
  /** Resolves when all is as before; `load.mark()` begins what its recovery is measured from. */
  readonly run: (arena: Arena, load: Load, pace: Pace) => Promise<void>;
}

/** How long a scenario goes on. */
export interface Pace {
  /** Answers between two of its steps. */
  readonly answers: number;
  /** Those that a fault goes round. */
  readonly services: readonly ServiceName[];
}

/** Under load from every kind of client, before the fault, through it and after it. */
export async function runScenario(arena: Arena, scenario: Scenario, pace: Pace): Promise<Account> {
  const load = new Load(await lanesOf(arena.shop), arena.rotation.baseUrls);
  try {
    load.mark();
    await load.recovered();
    await load.more(pace.answers);
    load.begin();
    await scenario.run(arena, load, pace);
    await load.recovered();
    await load.more(pace.answers);
  } finally {
    await load.stop();
  }
  return accountOf(arena.product, arena.databaseUrl, load, scenario.mayFail);
}
