import type { Pool, PoolClient } from 'pg';
import type { OutgoingFact } from './outbox.js';
import { type RefusedFact, setAside } from './outbox-set-aside.js';
import { inTransaction } from './transactions.js';

/** How facts leave: `FencedPublisher` of the messaging library. */
export interface FactPublisher {
  /** Resolves when the broker can be reached. */
  ready(): Promise<void>;
  /**
   * Resolves when the broker has all of the facts; rejects within a few seconds when it does not say so.
   * @param confirm rejects when the lock is lost, under which the facts may be published
   */
  publish(facts: readonly OutgoingFact[], confirm: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface OutboxRelayOptions {
  readonly pool: Pool;
  readonly publisher: FactPublisher;
  /** Whether the broker refuses one of the facts for what it is, so that no repetition helps. */
  readonly isUndeliverable: (error: unknown) => boolean;
  /** Whether a fact replaces the former ones of its key: those of compacted topics do. */
  readonly isState: (topic: string) => boolean;
  /** These are out of the way of others now, and wait for a person (`replaySetAside`). */
  readonly onSetAside: (facts: readonly RefusedFact[]) => void;
  readonly onError: (error: unknown) => void;
  /** How often to look without being woken: for facts that another replica wrote before it died. */
  readonly intervalMs?: number;
}

const MAX_FACTS_PER_PASS = 1_000;
/** Values of one pass; a larger fact leaves alone. What Postgres sends must fit into the buffers of a stopped process. */
const MAX_BYTES_PER_PASS = 900_000;
const INTERVAL_MS = 500;
/** After a pass during which more was written: a pass costs five round trips, for one fact or for hundreds. */
const GATHER_MS = 15;
const RETRY_MS = 500;
/** While another replica's relay works, which may have looked before the facts of ours were committed. */
const BUSY_MS = 25;
/**
 * Postgres takes the lock from a relay that says nothing for so long: its process is stopped, or cut off. Longer than a
 * publish may take, and short enough for a revocation to be everywhere within 15 s (docs/decisions/outbox.md).
 */
export const SILENT_RELAY_MS = 6_000;
/** Looking for what the broker refuses ends here; the next pass goes on, so that the lock is not kept for too long. */
const MAX_PASS_MS = 2_000;

interface OutboxRow extends OutgoingFact {
  readonly id: string;
}

/**
 * Publishes the outbox in its order and deletes what the broker has acknowledged: at least once, never out of order. A
 * transaction lock lets one relay of a schema work at a time while the others stand by; the publisher keeps those out
 * who have lost it and do not know.
 */
export class OutboxRelay {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;
  private isGathering = false;
  private isStopped = false;
  private hasFailed = false;

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
    await this.options.publisher.close();
  }

  private async drain(): Promise<number> {
    const { publisher, onSetAside, onError, pool, intervalMs = INTERVAL_MS } = this.options;
    try {
      // Whoever cannot reach the broker does not take the lock from those who can.
      if (this.hasFailed) await publisher.ready();
      let isMore = true;
      while (!this.isStopped && isMore) {
        this.isWoken = false;
        const pass = new Pass(this.options);
        const ended = await inTransaction(pool, (client) => pass.run(client)).finally(() => pass.end());
        if (ended === 'busy') return BUSY_MS;
        if (pass.refused.length > 0) onSetAside(pass.refused);
        isMore = ended === 'more';
      }
      this.hasFailed = false;
      return intervalMs;
    } catch (error) {
      this.isWoken = false;
      this.hasFailed = true;
      onError(error);
      return RETRY_MS;
    }
  }
}

type PassEnd = 'busy' | 'more' | 'empty';

/** The first facts of the outbox, published and deleted in one transaction that holds the lock. */
class Pass {
  readonly refused: RefusedFact[] = [];
  private isOver = false;

  constructor(
    private readonly options: Pick<OutboxRelayOptions, 'publisher' | 'isUndeliverable' | 'isState'>,
  ) {}

  async run(client: PoolClient): Promise<PassEnd> {
    const lock = await client.query<{ held: boolean }>(LOCK);
    if (lock.rows[0]?.held !== true) return 'busy';
    const { rows } = await client.query<OutboxRow>(FIRST);
    if (rows.length === 0) return 'empty';
    const done = await this.deliver(rows, () => this.confirm(client));
    if (this.refused.length > 0) await setAside(client, this.refused, this.options.isState);
    await client.query(FORGET, [done.map(({ id }) => id), this.refused.map(({ id }) => id)]);
    const bytes = rows.reduce((sum, { value }) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0);
    const isMore =
      rows.length === MAX_FACTS_PER_PASS || bytes >= MAX_BYTES_PER_PASS || done.length < rows.length;
    return isMore ? 'more' : 'empty';
  }

  /** A call of the publisher that comes late must not take another transaction on this client for its own. */
  end(): void {
    this.isOver = true;
  }

  /** Whoever can ask within the transaction holds its lock. */
  private async confirm(client: PoolClient): Promise<void> {
    if (this.isOver) throw new Error('The lock of the outbox is given back.');
    await client.query('select 1');
  }

  /**
   * Halves what the broker refuses until the facts that are to blame are alone.
   * @returns the first of the rows, those that need no further try
   */
  private async deliver(
    rows: readonly OutboxRow[],
    confirm: () => Promise<void>,
  ): Promise<readonly OutboxRow[]> {
    const { publisher, isUndeliverable } = this.options;
    const endMs = performance.now() + MAX_PASS_MS;
    const done: OutboxRow[] = [];
    const parts = [rows];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (done.length > 0 && performance.now() > endMs) break;
      try {
        await publisher.publish(part.map(toFact), confirm);
        done.push(...part);
      } catch (error) {
        if (!isUndeliverable(error)) throw error;
        const middle = part.length >> 1;
        if (middle > 0) parts.unshift(part.slice(0, middle), part.slice(middle));
        else {
          done.push(...part);
          this.refused.push(...part.map((row) => ({ ...row, reason: describe(error) })));
        }
      }
    }
    return done;
  }
}

const LOCK = `select pg_try_advisory_xact_lock(hashtext(current_schema() || '.outbox-relay')) as held,
  set_config('idle_in_transaction_session_timeout', '${SILENT_RELAY_MS}', true)`;

const FIRST = `select id, topic, key, value, headers from (
    select *, sum(coalesce(octet_length(value), 0)) over (order by id rows unbounded preceding)
      - coalesce(octet_length(value), 0) as bytes_before
    from (select * from outbox order by id limit ${MAX_FACTS_PER_PASS}) as first
  ) as measured where bytes_before < ${MAX_BYTES_PER_PASS} order by id`;

/** What was set aside before is out of date once a newer state of its key is out. */
const FORGET = `with done as (delete from outbox where id = any($1::bigint[]) returning id, topic, key)
  update outbox_set_aside as aside set is_superseded = true from done
  where aside.is_state and aside.topic = done.topic and aside.key = done.key and aside.id < done.id
    and done.id <> all($2::bigint[])`;

function toFact({ topic, key, value, headers }: OutboxRow): OutgoingFact {
  return headers === undefined ? { topic, key, value } : { topic, key, value, headers };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
