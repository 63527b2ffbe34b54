import { setTimeout as delay } from 'node:timers/promises';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import {
  currentIncarnation,
  type Incarnation,
  inTransaction,
  isOfThisDatabase,
  isTransient,
  markPublished,
  type OutboxRelay,
  type Restore,
} from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import {
  type PublishedState,
  type PublishedStates,
  republish,
  type StateSource,
  versionOf,
} from './republish.js';

export interface StateKeeperOptions<Name extends string> {
  readonly pool: Pool;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly messaging: Messaging;
  readonly log: Logger;
  readonly sources: Readonly<Record<Name, StateSource>>;
  /** Whether to publish everything again at the start. Default: what is missing. */
  readonly everything?: boolean;
  /** Ends the wait for Postgres when the process stops. */
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;
/** How often a running process asks whether its database is still the same. */
const WATCH_MS = 5_000;

/**
 * Keeps the compacted topics of a service equal to its tables, although Kafka may be lost or restored and
 * Postgres restored to an earlier point (docs/operations/restore.md).
 */
export class StateKeeper<Name extends string> {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: StateKeeperOptions<Name>) {}

  /** Resolves when what the topics lack is in the outbox. Waits for Postgres as long as it takes. */
  async start(): Promise<void> {
    await this.untilDone(() => this.fill(this.options.everything ?? false));
    this.watch();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.running;
  }

  private watch(): void {
    if (this.options.signal.aborted) return;
    this.timer = setTimeout(() => {
      this.running = this.check().finally(() => this.watch());
    }, WATCH_MS);
  }

  /** A standby that was promoted, or a restore under a running process. */
  private async check(): Promise<void> {
    const { pool, log } = this.options;
    try {
      if (!(await isOfThisDatabase(pool))) await this.fill(false);
    } catch (error) {
      log.warn({ err: error }, 'Whether Postgres was restored is not known; it is asked again.');
    }
  }

  private async untilDone(work: () => Promise<void>): Promise<void> {
    const { log, signal } = this.options;
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        log.warn({ err: error }, 'Postgres is away; facts are republished once it is back.');
        await delay(RETRY_MS, undefined, { signal });
      }
    }
  }

  private async fill(everything: boolean): Promise<void> {
    const published = await this.readTopics();
    let incarnation = await this.begin(latestOf(published));
    const isAhead = await this.publish(published, incarnation, everything || !incarnation.isPublished);
    if (isAhead) {
      incarnation = await this.begin(incarnation.incarnation + 1);
      await this.publish(published, incarnation, true);
    }
    await markPublished(this.options.pool, incarnation);
  }

  /** @param atLeast a restored database may not know that an earlier one has got so far */
  private async begin(atLeast: number): Promise<Incarnation> {
    const { pool, log } = this.options;
    const restore: Restore = { atLeast };
    const incarnation = await inTransaction(pool, (client) => currentIncarnation(client, restore));
    if (incarnation.isRestored) {
      log.warn(
        { incarnation: incarnation.incarnation },
        'Postgres is another one than before, or was restored to an earlier point: every state is published again.',
      );
    }
    return incarnation;
  }

  private async publish(
    published: PublishedStates<Name>,
    { incarnation }: Incarnation,
    everything: boolean,
  ): Promise<boolean> {
    const { pool, relay, sources, log } = this.options;
    const { facts, isAhead } = await republish({ pool, relay, sources, published, incarnation, everything });
    if (Object.values<number>(facts).some((count) => count > 0)) log.info({ facts }, 'Republished facts.');
    return isAhead;
  }

  private async readTopics(): Promise<PublishedStates<Name>> {
    const { messaging, sources } = this.options;
    const names = Object.keys(sources) as Name[];
    const states = await Promise.all(
      names.map(async (name) => [name, await statesOn(messaging, sources[name].topic)] as const),
    );
    return Object.fromEntries(states) as PublishedStates<Name>;
  }
}

async function statesOn(messaging: Messaging, topic: string): Promise<ReadonlyMap<string, PublishedState>> {
  const states = new Map<string, PublishedState>();
  const table = await CompactedTable.open(messaging, {
    topic,
    apply: (key, value, incarnation) => {
      states.set(key, { incarnation, version: versionOf(value), isGone: value === null });
    },
  });
  await table.close();
  return states;
}

/** The latest incarnation that the topics name. */
function latestOf(published: PublishedStates<string>): number {
  let latest = 0;
  for (const states of Object.values(published))
    for (const { incarnation } of states.values()) latest = Math.max(latest, incarnation);
  return latest;
}
