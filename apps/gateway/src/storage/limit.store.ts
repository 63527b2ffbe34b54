import { isReachable } from '@truetally/persistence';
import type { Pool, QueryArrayConfig } from 'pg';

/** All consumptions of one subject that wait for the same call, in the order in which they came. */
export interface Consumption {
  readonly subject: string;
  readonly perHour: number;
  readonly costs: readonly number[];
}

export interface ConsumptionVerdict {
  /** What the hour had counted before this call. */
  readonly usedBefore: number;
  /** Positions in `costs` that did not fit. */
  readonly refused: ReadonlySet<number>;
  readonly hourEndsAtSeconds: number;
  /** Until the hour's end by the database's clock, when it answered. */
  readonly secondsLeft: number;
}

/** A Postgres that hangs must not hang its clients: past this, the connection is thrown away. */
const CONSUME_TIMEOUT_MS = 3_000;

type Row = [usedBefore: string, refused: number[], endsAt: string, secondsLeft: number];

/** The counters in Postgres; see the migration for the rules that `consume` keeps. */
export class LimitStore {
  constructor(private readonly pool: Pool) {}

  /** @param consumptions one per subject, sorted by subject; verdicts come in the same order */
  async consume(consumptions: readonly Consumption[]): Promise<readonly ConsumptionVerdict[]> {
    // The driver takes `query_timeout` with each query; its types know it for connections only.
    const query: QueryArrayConfig & { readonly query_timeout: number } = {
      query_timeout: CONSUME_TIMEOUT_MS,
      name: 'consume',
      text: 'select used_before, refused, ends_at, seconds_left from consume($1, $2, $3, $4)',
      values: [
        consumptions.map(({ subject }) => subject),
        consumptions.map(({ perHour }) => perHour),
        consumptions.map(({ costs }) => costs.length),
        consumptions.flatMap(({ costs }) => costs),
      ],
      rowMode: 'array',
    };
    const { rows } = await this.pool.query<Row>(query);
    return rows.map(([usedBefore, refused, endsAt, secondsLeft]) => ({
      usedBefore: Number(usedBefore),
      refused: new Set(refused),
      hourEndsAtSeconds: Number(endsAt),
      secondsLeft,
    }));
  }

  /** Deletes the counters of hours that are over. */
  async forgetOldHours(): Promise<void> {
    await this.pool.query('select forget_old_hours()');
  }

  isReachable(): Promise<boolean> {
    return isReachable(this.pool);
  }
}
