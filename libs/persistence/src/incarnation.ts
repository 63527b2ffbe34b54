import type { ClientBase } from 'pg';
import { lockOutbox } from './outbox.js';

/** The incarnation of a schema's data. */
export interface Incarnation {
  /**
   * Higher than that of every earlier one, also of those that a restore has undone, because it contains the
   * time of its beginning in epoch milliseconds.
   */
  readonly incarnation: number;
  /** Whether everything that the schema publishes as a state has been appended to the outbox since. */
  readonly isPublished: boolean;
  /**
   * Whether the readers of Kafka that store in the schema were set back to the point of the restore, or need not be: it is the
   * first incarnation, or nothing was lost.
   */
  readonly isRewound: boolean;
  /** Whether this call has begun it after an earlier one. */
  readonly isRestored: boolean;
}

/** Why a new incarnation begins, besides a database that is another one. */
export interface Restore {
  /** A restore to this time, which begins an incarnation only once. */
  readonly restoredTo?: Date;
  /** It is not lower than this: a higher one was already published. */
  readonly atLeast?: number;
}

/**
 * The current incarnation, in the caller's transaction. Begins a new one if the database is not the one in which
 * the last began, or if the caller knows of a restore.
 */
export async function currentIncarnation(client: ClientBase, restore: Restore = {}): Promise<Incarnation> {
  // Nobody appends facts meanwhile, and no other process begins an incarnation.
  await lockOutbox(client);
  const { restoredTo = null, atLeast = null } = restore;
  const begun = await client.query(BEGIN, [restoredTo, atLeast]);
  const { rows } = await client.query<{ incarnation: string; is_published: boolean; is_rewound: boolean }>(
    `select incarnation, published_at is not null as is_published, rewound_at is not null as is_rewound
     from incarnations order by incarnations.incarnation desc limit 2`,
  );
  const [row, earlier] = rows;
  if (row === undefined) throw new Error('The schema has no incarnation.');
  return {
    incarnation: Number(row.incarnation),
    isPublished: row.is_published,
    isRewound: row.is_rewound,
    isRestored: begun.rowCount === 1 && earlier !== undefined,
  };
}

/** Whether the current incarnation began in this database, and everything has been published since. */
export async function isOfThisDatabase(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from (select * from incarnations order by incarnation desc limit 1) as latest
     join (${DATABASE}) as here using (database) where published_at is not null`,
  );
  return rowCount === 1;
}

/** Whether the current incarnation began in this database, and its readers were set back, or need not be. */
export async function isRewound(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from (select * from incarnations order by incarnation desc limit 1) as latest
     join (${DATABASE}) as here using (database) where rewound_at is not null`,
  );
  return rowCount === 1;
}

/** Says that the readers were set back to the point of the restore. */
export async function markRewound(
  client: Pick<ClientBase, 'query'>,
  { incarnation }: Pick<Incarnation, 'incarnation'>,
): Promise<void> {
  await client.query(
    'update incarnations set rewound_at = coalesce(rewound_at, now()) where incarnation = $1',
    [incarnation],
  );
}

/** A restore that operators have reported. Facts written after its point under an earlier incarnation are undone. */
export interface ReportedRestore {
  /** The first of all schemas since the restore: services may have run, and published, before it was reported. */
  readonly firstIncarnation: number;
  /** Epoch milliseconds. */
  readonly restoredToMs: number;
}

/** Every reported restore of the schema that is not undone itself. */
export async function reportedRestores(
  client: Pick<ClientBase, 'query'>,
): Promise<readonly ReportedRestore[]> {
  const { rows } = await client.query<{ first_incarnation: string; restored_to: Date }>(
    'select first_incarnation, restored_to from incarnations where first_incarnation is not null',
  );
  return rows.map(({ first_incarnation, restored_to }) => ({
    firstIncarnation: Number(first_incarnation),
    restoredToMs: restored_to.getTime(),
  }));
}

/** The schema's first incarnation since a restore that was reported: it has none of the time that the restore has undone. */
export async function firstIncarnationSince(
  client: Pick<ClientBase, 'query'>,
  restoredTo: Date,
): Promise<number> {
  const { rows } = await client.query<{ first: string }>(
    'select min(incarnation) as first from incarnations where begun_at > $1 or restored_to = $1',
    [restoredTo],
  );
  return Number(rows[0]?.first);
}

/** Completes the report of a restore, with the first incarnation of all schemas since. */
export async function reportRestore(
  client: Pick<ClientBase, 'query'>,
  { restoredTo, firstIncarnation }: { readonly restoredTo: Date; readonly firstIncarnation: number },
): Promise<void> {
  await client.query('update incarnations set first_incarnation = $2 where restored_to = $1', [
    restoredTo,
    firstIncarnation,
  ]);
}

/** Says that everything has been appended to the outbox. */
export async function markPublished(
  client: Pick<ClientBase, 'query'>,
  { incarnation }: Pick<Incarnation, 'incarnation'>,
): Promise<void> {
  await client.query('update incarnations set published_at = now() where incarnation = $1', [incarnation]);
}

/**
 * A copy of the database differs in one of four: a new cluster has another system identifier, recovery to a point
 * in time and promotion of a standby begin a timeline, a dump is restored into another database or table.
 */
const DATABASE = `
  select concat_ws('/', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()),
    'incarnations'::regclass::oid) as database`;

const BEGIN = `
  insert into incarnations (incarnation, database, restored_to, rewound_at)
  select greatest(coalesce(latest.incarnation, 0) + 1, $2::bigint,
    (extract(epoch from clock_timestamp()) * 1000)::bigint), here.database, $1::timestamptz,
    case when latest.incarnation is null and $1::timestamptz is null then now() end
  from (${DATABASE}) as here
  left join (select * from incarnations order by incarnation desc limit 1) as latest on true
  where latest.database is distinct from here.database
    or $1::timestamptz is not null and latest.restored_to is distinct from $1::timestamptz
    or $2::bigint is not null and latest.incarnation < $2::bigint`;
