import type { Pool, PoolClient } from 'pg';
import { INCARNATION_HEADER_SQL } from './incarnations-table.js';
import type { OutgoingFact } from './outbox.js';
import { type OwnerOf, type RefusedFact, setAside } from './outbox-set-aside.js';
import { inTransaction } from './transactions.js';

/** How facts are published: `FencedPublisher` of the messaging library. */
export interface FactPublisher {
  /** Resolves when the broker is reachable. */
  ready(): Promise<void>;
  /**
   * Resolves when the broker has all facts; rejects after a few seconds without an acknowledgement.
   * @param confirm rejects when the lock that allows publishing is lost
   */
  publish(facts: readonly OutgoingFact[], confirm: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The outbox that a relay empties, and where its facts go. */
export interface OutboxRelayOptions {
  readonly pool: Pool;
  readonly publisher: FactPublisher;
  /** Whether the broker refuses the fact itself, so that a retry is useless. */
  readonly isUndeliverable: (error: unknown) => boolean;
  /** Whether a fact replaces earlier ones of its key, as on compacted topics. */
  readonly isState: (topic: string) => boolean;
  /** Whose data a fact holds: it is erased with its owner, also when it is set aside. */
  readonly ownerOf: OwnerOf;
  /** These facts no longer block others, and wait for an operator (`replaySetAside`). */
  readonly onSetAside: (facts: readonly RefusedFact[]) => void;
  readonly onError: (error: unknown) => void;
  /**
   * The messages of a row that holds many facts, because a row for each would cost more than what they are
   * about. They are published, refused and set aside together. Default: a row is a fact.
   */
  readonly unpack?: (row: OutgoingFact) => readonly OutgoingFact[];
  /** Of the rows of one send, where unpacking and writing all that a pass has would occupy the process for long. */
  readonly bytesPerSend?: number;
  /** Between two passes while facts are written. Default: for those who wait for their own fact. */
  readonly gatherMs?: number;
  /** Polling interval without a wake-up: for facts of another replica that died. */
  readonly intervalMs?: number;
}

const MAX_FACTS_PER_PASS = 1_000;
/**
 * Size of the values of one pass; a larger fact is sent alone. What Postgres sends must fit into the buffers
 * of a stopped process.
 */
const MAX_BYTES_PER_PASS = 900_000;
const INTERVAL_MS = 5_000;
/** Behind facts that nobody woke the relay for, at first: whoever writes them beside this process may have more. */
const NEXT_LOOK_MS = 250;
/**
 * Delay after a pass during which facts were written: a pass costs five round trips, for one fact or for
 * hundreds.
 */
const GATHER_MS = 15;
const RETRY_MS = 500;
/** Delay while another replica's relay runs, which may have read before our facts were committed. */
const BUSY_MS = 25;
/**
 * Postgres releases the lock of a relay that is silent for this long: its process is stopped, or
 * disconnected. Longer than a publish may take, and short enough for a revocation to arrive everywhere within
 * 15 s (docs/decisions/outbox.md).
 */
export const SILENT_RELAY_MS = 6_000;
/**
 * The search for facts that the broker refuses ends here and continues in the next pass, so that the lock is
 * not held for too long.
 */
const MAX_PASS_MS = 2_000;

interface OutboxRow extends OutgoingFact {
  readonly id: string;
}

/**
 * Publishes the outbox in order and deletes acknowledged facts: at least once, never out of order. A
 * transaction lock allows one active relay per schema while the others stand by; the publisher fences relays
 * that have lost it without noticing.
 */
export class OutboxRelay {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;
  private isGathering = false;
  private isStopped = false;
  private hasFailed = false;
  /** Between two looks; twice as long after each that found nothing. */
  private lookMs = INTERVAL_MS;

  constructor(private readonly options: OutboxRelayOptions) {}

  start(): void {
    this.pass();
  }

  /** Call it after each commit that wrote facts: they are published at once. */
  wake(): void {
    this.isWoken = true;
    if (!this.isGathering) this.pass();
  }

  private pass(): void {
    if (this.isStopped || this.running !== undefined) return;
    clearTimeout(this.timer);
    const { gatherMs = GATHER_MS } = this.options;
    this.running = this.drain().then((pauseMs) => {
      this.running = undefined;
      if (this.isStopped) return;
      this.isGathering = this.isWoken;
      this.timer = setTimeout(
        () => {
          this.isGathering = false;
          this.pass();
        },
        this.isGathering ? gatherMs : pauseMs,
      );
    });
  }

  /** Waits for the current pass; remaining facts stay in the table for the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
    await this.options.publisher.close();
  }

  private async drain(): Promise<number> {
    const { publisher, onSetAside, onError, pool, intervalMs = INTERVAL_MS } = this.options;
    try {
      // A relay without access to the broker does not take the lock from those with access. Its publisher counts as cut off until
      // then, also where another replica has published what it failed to.
      if (this.hasFailed) await publisher.ready();
      this.hasFailed = false;
      // Mostly there is nothing: one look costs a fifth of a pass.
      const isLook = !this.isWoken;
      this.lookMs = Math.min(intervalMs, 2 * this.lookMs);
      if (isLook && !(await hasFacts(pool))) return this.lookMs;
      let isMore = true;
      while (!this.isStopped && isMore) {
        this.isWoken = false;
        const pass = new Pass(this.options);
        const ended = await inTransaction(pool, (client) => pass.run(client)).finally(() => pass.end());
        if (ended === 'busy') return BUSY_MS;
        if (pass.refused.length > 0) onSetAside(pass.refused);
        isMore = ended === 'more';
      }
      if (isLook) this.lookMs = Math.min(intervalMs, NEXT_LOOK_MS);
      return this.lookMs;
    } catch (error) {
      this.isWoken = false;
      this.hasFailed = true;
      onError(error);
      return RETRY_MS;
    }
  }
}

async function hasFacts(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>('select exists (select from outbox) as found');
  return rows[0]?.found === true;
}

type PassEnd = 'busy' | 'more' | 'empty';

/** The first facts of the outbox, published and deleted in one transaction that holds the lock. */
class Pass {
  readonly refused: RefusedFact[] = [];
  private isOver = false;

  constructor(
    private readonly options: Pick<
      OutboxRelayOptions,
      'publisher' | 'isUndeliverable' | 'isState' | 'ownerOf' | 'unpack' | 'bytesPerSend'
    >,
  ) {}

  async run(client: PoolClient): Promise<PassEnd> {
    const lock = await client.query<{ held: boolean }>(LOCK);
    if (lock.rows[0]?.held !== true) return 'busy';
    const { rows } = await client.query<OutboxRow>(FIRST);
    if (rows.length === 0) return 'empty';
    const done = await this.deliver(rows, () => this.confirm(client));
    if (this.refused.length > 0) await setAside(client, this.refused, this.options);
    await client.query(FORGET, [done.map(({ id }) => id)]);
    const bytes = rows.reduce((sum, { value }) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0);
    const isMore =
      rows.length === MAX_FACTS_PER_PASS || bytes >= MAX_BYTES_PER_PASS || done.length < rows.length;
    return isMore ? 'more' : 'empty';
  }

  /** A late call of the publisher must not mistake a later transaction on this client for its own. */
  end(): void {
    this.isOver = true;
  }

  /** A query that succeeds within the transaction proves that the lock is held. */
  private async confirm(client: PoolClient): Promise<void> {
    if (this.isOver) throw new Error('The lock of the outbox is given back.');
    await client.query('select 1');
  }

  /**
   * Halves what the broker refuses until the faulty facts are alone.
   * @returns the first rows: those that need no further try
   */
  private async deliver(
    rows: readonly OutboxRow[],
    confirm: () => Promise<void>,
  ): Promise<readonly OutboxRow[]> {
    const { publisher, isUndeliverable, unpack, bytesPerSend } = this.options;
    const endMs = performance.now() + MAX_PASS_MS;
    const done: OutboxRow[] = [];
    const parts = bytesPerSend === undefined ? [rows] : partsOf(rows, bytesPerSend);
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (done.length > 0 && performance.now() > endMs) break;
      try {
        await publisher.publish(
          part.map(toFact).flatMap((fact) => unpack?.(fact) ?? [fact]),
          confirm,
        );
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

function partsOf(rows: readonly OutboxRow[], bytesPerSend: number): (readonly OutboxRow[])[] {
  const parts: OutboxRow[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const size = row.value === null ? 0 : Buffer.byteLength(row.value);
    bytes += size;
    if (bytes <= bytesPerSend) parts.at(-1)?.push(row);
    else {
      parts.push([row]);
      bytes = size;
    }
  }
  return parts;
}

const LOCK = `select pg_try_advisory_xact_lock(hashtext(current_schema() || '.outbox-relay')) as held,
  set_config('idle_in_transaction_session_timeout', '${SILENT_RELAY_MS}', true)`;

const FIRST = `select id, topic, key, value, headers || ${INCARNATION_HEADER_SQL} as headers from (
    select *, sum(coalesce(octet_length(value), 0)) over (order by id rows unbounded preceding)
      - coalesce(octet_length(value), 0) as bytes_before
    from (select * from outbox order by id limit ${MAX_FACTS_PER_PASS}) as first
  ) as measured where bytes_before < ${MAX_BYTES_PER_PASS} order by id`;

/**
 * A set-aside state is obsolete when a newer state of its key is published, or set aside itself. The second
 * holds even when an operator discards the newer one: what it revoked stays revoked.
 */
const FORGET = `with done as (delete from outbox where id = any($1::bigint[]) returning id, topic, key)
  update outbox_set_aside as aside set is_superseded = true from done
  where aside.is_state and aside.topic = done.topic and aside.key = done.key and aside.id < done.id`;

function toFact({ topic, key, value, headers }: OutboxRow): OutgoingFact {
  return headers === undefined ? { topic, key, value } : { topic, key, value, headers };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
