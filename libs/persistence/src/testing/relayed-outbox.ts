import { eventually } from '@truetally/testing';
import type pg from 'pg';
import {
  appendToOutbox,
  type FactPublisher,
  inTransaction,
  OutboxRelay,
  type OutboxRelayOptions,
  type OutgoingFact,
  type RefusedFact,
} from '../index.js';
import { ThingsDatabase } from './things.js';

export type Publish = FactPublisher['publish'];

/** What a broker refuses: not to be tried again. */
export class Refusal extends Error {}

/** A topic on which only the newest fact of a key counts. */
export const STATE_TOPIC = 'state';

/** An outbox, relays that publish it, and what they have published. */
export class RelayedOutbox {
  published: OutgoingFact[] = [];
  errors: unknown[] = [];
  reported: RefusedFact[] = [];
  private readonly relays: OutboxRelay[] = [];

  private constructor(private readonly database: ThingsDatabase) {}

  /** @param url of a superuser */
  static async open(url: string | undefined): Promise<RelayedOutbox> {
    return new RelayedOutbox(await ThingsDatabase.open(url));
  }

  get pool(): pg.Pool {
    return this.database.pool;
  }

  readonly take = (facts: readonly OutgoingFact[]): Promise<void> => {
    this.published.push(...facts);
    return Promise.resolve();
  };

  /** Takes facts unless one of these values is among them. */
  refusing(...refused: readonly string[]): Publish {
    return (facts) =>
      facts.some(({ value }) => refused.includes(value ?? ''))
        ? Promise.reject(new Refusal('too large'))
        : this.take(facts);
  }

  startRelay(publish: Publish, overrides: Partial<OutboxRelayOptions> = {}): OutboxRelay {
    const relay = new OutboxRelay({
      pool: this.pool,
      publisher: { publish, ready: () => Promise.resolve(), close: () => Promise.resolve() },
      isUndeliverable: (error) => error instanceof Refusal,
      isState: (topic) => topic === STATE_TOPIC,
      ownerOf: () => ({ siteId: null, workspaceId: null }),
      onSetAside: (facts) => this.reported.push(...facts),
      onError: (error) => this.errors.push(error),
      intervalMs: 20,
      ...overrides,
    });
    this.relays.push(relay);
    relay.start();
    return relay;
  }

  append(...facts: readonly OutgoingFact[]): Promise<void> {
    return inTransaction(this.pool, (client) => appendToOutbox(client, facts));
  }

  async count(table: 'outbox' | 'outbox_set_aside'): Promise<number> {
    const { rows } = await this.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
    return rows[0]?.n ?? Number.NaN;
  }

  async untilEmpty(): Promise<void> {
    await eventually(async () => (await this.count('outbox')) === 0);
  }

  values(): readonly (string | null)[] {
    return this.published.map(({ value }) => value);
  }

  /** Ends the relays, and empties everything. */
  async clear(): Promise<void> {
    await Promise.all(this.relays.splice(0).map((relay) => relay.stop()));
    await this.pool.query('delete from outbox');
    await this.pool.query('delete from outbox_set_aside');
    [this.published, this.errors, this.reported] = [[], [], []];
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** A fact of a topic that keeps all of them. */
export const numbered = (n: number, more: Partial<OutgoingFact> = {}): OutgoingFact => ({
  topic: 't',
  key: 'k',
  value: String(n),
  headers: { n: String(n) },
  ...more,
});
