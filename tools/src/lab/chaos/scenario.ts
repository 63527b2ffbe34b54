import { type ServiceName } from '@truetally/contracts/services';
import { type Account, accountOf } from './account.js';
import { type Arena, type Stand } from './arena.js';
import { lanesOf } from './lanes.js';
import { type Failure, Load } from './load.js';

/** A fault, and its effects on clients. */
export interface Scenario {
  readonly name: string;
  /** Short description of the fault. */
  readonly what: string;
  readonly brokers: Stand;
  /** Begins with the build of the release before. */
  readonly isUpgrade?: boolean;
  /** Clients reach the gateways through the balancer; otherwise by a rotation of which a scenario takes them out. */
  readonly isBalanced?: boolean;
  /** Postgres archives its log. */
  readonly isArchived?: boolean;
  /**
   * Allowed failures of connections, depending on what was ended. 503 with `Retry-After` is always allowed.
   */
  readonly mayFail: readonly Failure[];
  /** What this machine lacks for it; undefined when it can run. */
  readonly lacks?: (arena: Arena) => string | undefined;
  /** Resolves when everything is restored; `load.mark()` starts the measurement of its recovery. */
  readonly run: (arena: Arena, load: Load, pace: Pace) => Promise<void>;
}

/** The length of a scenario. */
export interface Pace {
  /** Answers between two of its steps. */
  readonly answers: number;
  /** The services that a fault hits in turn. */
  readonly services: readonly ServiceName[];
  /** Of each client between its requests, while nobody waits for one; default: none. Processors then work on the fault instead. */
  readonly pauseMs?: number;
}

/** Under load from every kind of client: before, during and after the fault. */
export async function runScenario(arena: Arena, scenario: Scenario, pace: Pace): Promise<Account> {
  const { balancer, rotation } = arena;
  const baseUrls = scenario.isBalanced === true ? () => [balancer.baseUrl] : rotation.baseUrls;
  const load = new Load(await lanesOf(arena.shop), baseUrls, pace.pauseMs);
  try {
    load.mark();
    await load.recovered();
    await load.more(pace.answers);
    load.begin();
    await scenario.run(arena, load, pace);
    await load.recovered();
    await load.more(pace.answers);
  } catch (error) {
    load.abandon();
    throw error;
  } finally {
    await load.stop();
  }
  return accountOf(arena.product, arena.databaseUrl, load, scenario.mayFail);
}
