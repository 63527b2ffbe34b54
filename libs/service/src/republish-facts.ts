import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Period, readPeriod } from '@truetally/kernel';
import {
  appendToOutbox,
  blockAfter,
  type BlockPlace,
  createPool,
  FIRST_BLOCK,
  inTransaction,
  type OutgoingFact,
  outboxSpan,
} from '@truetally/persistence';
import {
  type Configuration,
  createLogger,
  databaseUrlOf,
  type Logger,
  type verificationSettings,
} from '@truetally/platform';
import type { ClientBase, Pool, QueryResultRow } from 'pg';

const WRONG_USE = 2;
/** Chains of the ledger are read in their order: the first record of a late period may be behind all others. */
const STATEMENT_TIMEOUT_MS = 600_000;
/** 1 MiB of rows, some thousand. */
const BLOCKS = 128;
const LOOK_MS = 100;
const PUBLISH_TIMEOUT_MS = 300_000;

/** What is published again, and where it is told. */
export interface AskedAgain {
  readonly pool: Pool;
  /** By when the rows were stored. */
  readonly period: Period;
  /** Receives the number of facts so far, and where a call could begin that goes on from here, if that is known. */
  readonly onPiece?: (done: { readonly facts: number; readonly to?: string }) => void;
  /** Resolves when what is in the outbox is in Kafka. */
  readonly published?: (pool: Pool) => Promise<void>;
}

/** Publishes the facts of a period again. @returns how many; the same call may be repeated */
export type Republisher = (asked: AskedAgain & { readonly log: Logger }) => Promise<number>;

/**
 * The program with which an owner publishes facts again from its own tables, for readers that had not read them when Kafka was
 * lost or they expired; each of them recognises what it has (docs/decisions/lost-facts.md).
 * @param republishers by what the facts are called on the command line
 */
export async function runRepublish(
  service: string,
  config: Configuration<ReturnType<typeof verificationSettings>>,
  republishers: Readonly<Record<string, Republisher>>,
): Promise<void> {
  const log = createLogger({ service, instance: 'republish', level: config.LOG_LEVEL });
  const options = { from: { type: 'string' }, to: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [name = ''] = positionals;
  const republisher = Object.hasOwn(republishers, name) ? republishers[name] : undefined;
  const period = readPeriod(values, Date.now());
  if (republisher === undefined || period === undefined) {
    const names = Object.keys(republishers).join(' | ');
    log.error(`Say which facts, by when they were stored: ${names} --from <instant> [--to <instant>]`);
    process.exitCode = WRONG_USE;
    return;
  }
  const pool = createPool({
    url: databaseUrlOf(config),
    schema: config.DATABASE_SCHEMA,
    applicationName: `${service}-republish`,
    max: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const facts = await republisher({
      pool,
      period,
      log,
      onPiece: (done) => log.info(done, `So many ${name} were published again.`),
    });
    log.info({ facts, ...period }, `All ${name} of the period were published again.`);
  } finally {
    await pool.end();
  }
}

/** Facts that are published together. */
export interface PieceOfFacts<Place> {
  readonly facts: number;
  /** Each has one fact or several. */
  readonly rows: readonly OutgoingFact[];
  /** Undefined after the last one. */
  readonly next: Place | undefined;
}

/** Publishes pieces through the outbox, which the service publishes: new facts wait behind one piece at most. */
export async function throughOutbox<Place>(
  { pool, onPiece, published = untilPublished }: AskedAgain,
  first: Place,
  read: (client: ClientBase, place: Place) => Promise<PieceOfFacts<Place>>,
): Promise<number> {
  let facts = 0;
  let place: Place | undefined = first;
  // Ends: every piece but the last goes on to a later place.
  while (place !== undefined) {
    const from: Place = place;
    const piece = await inTransaction(pool, async (client) => {
      const found = await read(client, from);
      await appendToOutbox(client, found.rows);
      return found;
    });
    place = piece.next;
    if (piece.facts === 0) continue;
    facts += piece.facts;
    await published(pool);
    onPiece?.({ facts });
  }
  return facts;
}

/** A table of which each row is a fact. */
export interface FactTable<Row extends QueryResultRow> {
  readonly table: string;
  /** Of the table as `t`, without a condition. */
  readonly select: string;
  /** The column with the time of storage. */
  readonly storedAt: string;
  readonly factsOf: (row: Row) => readonly OutgoingFact[];
  /** What ends the statement. */
  readonly locking?: string;
  /** In one piece. */
  readonly blocks?: number;
}

/**
 * Publishes rows of a period, in the order of the disk, so that no index is needed. Not those of erased sites. A row that is
 * changed meanwhile may come twice, or not at all: whatever changes it publishes it, or erases whom it is about.
 */
export function republishTable<Row extends QueryResultRow>(
  asked: AskedAgain,
  { table, select, storedAt, factsOf, locking = '', blocks = BLOCKS }: FactTable<Row>,
): Promise<number> {
  const { from, to } = asked.period;
  const text = `${select} where t.ctid >= $1::tid and t.ctid < $2::tid and t.${storedAt} >= $3 and t.${storedAt} < $4
    and not exists (select from erased_sites s where s.site_id = t.site_id) ${locking}`;
  return throughOutbox<BlockPlace>(asked, FIRST_BLOCK, async (client, place) => {
    // An erasure of a person waits for what was read before it.
    await client.query('select erasures_seen()');
    const places = [`(${place.block},0)`, `(${place.block + blocks},0)`];
    const { rows } = await client.query<Row>(text, [...places, from, to]);
    const next = await blockAfter(client, [table], place, blocks);
    return { facts: rows.length, rows: rows.flatMap(factsOf), next };
  });
}

/** @throws Error when nobody publishes */
async function untilPublished(pool: Pool): Promise<void> {
  const { end } = await outboxSpan(pool);
  const endsAt = performance.now() + PUBLISH_TIMEOUT_MS;
  for (;;) {
    const waiting = await outboxSpan(pool);
    if (waiting.end === 0 || waiting.first >= end) return;
    if (performance.now() > endsAt) throw new Error('Nobody publishes the outbox: does the service run?');
    await delay(LOOK_MS);
  }
}
