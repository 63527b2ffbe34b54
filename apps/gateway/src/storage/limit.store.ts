import { isReachable } from '@truetally/persistence';
import type { Pool, QueryArrayConfig } from 'pg';

/** What a gateway gives back of a lease that has ended. */
export interface EndedLease {
  readonly size: number;
  readonly unused: number;
  /** Names the hour that it was part of. */
  readonly hourEndsAtSeconds: number;
}

/** All waiting consumptions of one subject for the same call, in order of arrival. */
export interface Consumption {
  readonly subject: string;
  readonly perHour: number;
  readonly costs: readonly number[];
  /** What it would take in advance for itself; 0: nothing. */
  readonly wish: number;
  readonly ended: EndedLease | undefined;
}

export interface ConsumptionVerdict {
  /** The hour's count before this call. */
  readonly usedBefore: number;
  /** Positions in `costs` that did not fit. */
  readonly refused: ReadonlySet<number>;
  /** All of the wish, or 0. */
  readonly leased: number;
  /** Whether anybody else has a lease, of which something may be given back. */
  readonly areOthersLent: boolean;
  readonly hourEndsAtSeconds: number;
  /** Until the hour's end by the database's clock, at its answer. */
  readonly secondsLeft: number;
}

/** What subjects have used of this hour. */
export interface HourUsage {
  /** Without the subjects that have used nothing. */
  readonly used: ReadonlyMap<string, number>;
  readonly hourEndsAtSeconds: number;
}

/** A hanging Postgres must not block its clients: after this timeout the connection is discarded. */
const CONSUME_TIMEOUT_MS = 3_000;

const CONSUME = `select used_before, refused, ends_at, seconds_left, leased_now, others_lent
  from consume($1, $2, $3, $4, $5, $6, $7, $8)`;
const CONSUME_LATE = `${CONSUME}, set_config('synchronous_commit', 'off', true)`;

type Row = [
  usedBefore: string,
  refused: number[],
  endsAt: string,
  secondsLeft: number,
  leased: string,
  areOthersLent: boolean,
];

interface UsageRow {
  readonly subject: string | null;
  readonly used: number;
  readonly ends: number;
}

/** A row also for an hour in which none of the subjects used anything. */
const USAGE = `
  select u.subject, coalesce(u.used, 0)::float8 as used, (extract(epoch from now_in.hour) + 3600)::float8 as ends
  from (select date_trunc('hour', limit_clock(), 'UTC') as hour) now_in
  left join hourly_usage u on u.hour = now_in.hour and u.subject = any($1::text[])`;

/** The counters in Postgres; the migration documents the rules of `consume`. */
export class LimitStore {
  constructor(private readonly pool: Pool) {}

  /**
   * @param consumptions one per subject, sorted by subject; verdicts are in the same order
   * @param isLate whether they need not be on disk before the answer, but with the next commit that must
   */
  async consume(
    consumptions: readonly Consumption[],
    isLate: boolean,
  ): Promise<readonly ConsumptionVerdict[]> {
    // The driver supports `query_timeout` per query; its types only per connection.
    const query: QueryArrayConfig & { readonly query_timeout: number } = {
      query_timeout: CONSUME_TIMEOUT_MS,
      name: isLate ? 'consume-late' : 'consume',
      text: isLate ? CONSUME_LATE : CONSUME,
      values: [
        consumptions.map(({ subject }) => subject),
        consumptions.map(({ perHour }) => perHour),
        consumptions.map(({ costs }) => costs.length),
        consumptions.flatMap(({ costs }) => costs),
        consumptions.map(({ wish }) => wish),
        consumptions.map(({ ended }) => ended?.size ?? 0),
        consumptions.map(({ ended }) => ended?.unused ?? 0),
        consumptions.map(({ ended }) => ended?.hourEndsAtSeconds ?? 0),
      ],
      rowMode: 'array',
    };
    const { rows } = await this.pool.query<Row>(query);
    return rows.map(([usedBefore, refused, endsAt, secondsLeft, leased, areOthersLent]) => ({
      usedBefore: Number(usedBefore),
      refused: new Set(refused),
      hourEndsAtSeconds: Number(endsAt),
      secondsLeft,
      leased: Number(leased),
      areOthersLent,
    }));
  }

  async usageOf(subjects: readonly string[]): Promise<HourUsage> {
    const { rows } = await this.pool.query<UsageRow>({ name: 'usage-of', text: USAGE, values: [subjects] });
    const used = new Map<string, number>();
    for (const { subject, used: spent } of rows) if (subject !== null) used.set(subject, spent);
    return { used, hourEndsAtSeconds: rows[0]?.ends ?? 0 };
  }

  /** Deletes the counters of past hours. */
  async forgetOldHours(): Promise<void> {
    await this.pool.query('select forget_old_hours()');
  }

  isReachable(): Promise<boolean> {
    return isReachable(this.pool);
  }
}
