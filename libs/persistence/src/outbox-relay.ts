import type { Pool, PoolClient } from 'pg';
import type { OutgoingFact } from './outbox.js';
import { inTransaction } from './transactions.js';

export interface OutboxRelayOptions {
  readonly pool: Pool;
  /** Resolves when every fact is acknowledged by the broker. */
  readonly publish: (facts: readonly OutgoingFact[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** How often to look without being woken: for facts that another replica wrote before it died. */
  readonly intervalMs?: number;
}

const MAX_FACTS_PER_PASS = 1_000;
const INTERVAL_MS = 500;
/** After a pass during which more was written: a pass costs five round trips, for one fact or for hundreds. */
const GATHER_MS = 15;
const RETRY_MS = 500;
/** While another replica's relay works, which may have looked before the facts of ours were committed. */
const BUSY_MS = 25;

interface OutboxRow {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  readonly value: string | null;
  readonly headers: Record<string, string>;
}

/**
 * Publishes the outbox in its order and deletes what the broker has acknowledged: at least once, never out of
 * order, because a transaction lock lets one relay of a schema work at a time while the others stand by.
 */
export class OutboxRelay {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;
  private isGathering = false;
  private isStopped = false;

  constructor(private readonly options: OutboxRelayOptions) {}

  start(): void {
    this.wake();
  }

  /** To be called after each commit that wrote facts: they leave at once. */
  wake(): void {
    this.isWoken = true;
    if (!this.isGathering) this.pass();
  }

  private pass(): void {
    if (this.isStopped || this.running !== undefined) return;
    clearTimeout(this.timer);
    this.running = this.drain().then((pauseMs) => {
      this.running = undefined;
      if (this.isStopped) return;
      this.isGathering = this.isWoken;
      this.timer = setTimeout(
        () => {
          this.isGathering = false;
          this.pass();
        },
        this.isGathering ? GATHER_MS : pauseMs,
      );
    });
  }

  /** Waits for the pass under way; what is left stays in the table for the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async drain(): Promise<number> {
    try {
      let published: number | 'busy' = MAX_FACTS_PER_PASS;
      while (!this.isStopped && published === MAX_FACTS_PER_PASS) {
        this.isWoken = false;
        published = await inTransaction(this.options.pool, (client) => this.publishNext(client));
      }
      return published === 'busy' ? BUSY_MS : (this.options.intervalMs ?? INTERVAL_MS);
    } catch (error) {
      this.isWoken = false;
      this.options.onError(error);
      return RETRY_MS;
    }
  }

  private async publishNext(client: PoolClient): Promise<number | 'busy'> {
    const lock = await client.query<{ held: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext(current_schema() || '.outbox-relay')) as held`,
    );
    if (lock.rows[0]?.held !== true) return 'busy';
    const { rows } = await client.query<OutboxRow>(
      `select id, topic, key, value, headers from outbox order by id limit ${MAX_FACTS_PER_PASS}`,
    );
    if (rows.length === 0) return 0;
    // However long Kafka is away, the lock stays with the relay whose publish is under way: were the session ended
    // for idling, another relay could publish newer facts before these go out after all.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await this.options.publish(
      rows.map(({ topic, key, value, headers }) => ({ topic, key, value, headers })),
    );
    await client.query('delete from outbox where id = any($1::bigint[])', [rows.map((row) => row.id)]);
    return rows.length;
  }
}
