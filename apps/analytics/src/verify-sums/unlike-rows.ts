import { setTimeout as delay } from 'node:timers/promises';
import { escapeIdentifier, type Pool } from 'pg';
import type { WrongSum } from './product-sums.js';

/** What a comparison with the facts' owner finds. */
export interface Unlike {
  /** At most as many as were asked for. */
  readonly wrong: readonly WrongSum[];
  /** Rows of the owner that are lacking here, and whose facts may be on their way. */
  readonly behind: number;
}

/** From where a table's facts come. */
export interface Told {
  readonly topic: string;
  /** The schema whose outbox has them before Kafka does. */
  readonly outbox?: string;
}

/** From the commit of a row to its fact in Kafka, which nobody knows of meanwhile. */
const PUBLISHED_SECONDS = 5;
/** Longer than the service takes to see how far it is while nobody asks (`ProgressWatch`), and as a fact takes to Kafka. */
const WAIT_MS = 45_000;
const LOOK_MS = 1_000;

/**
 * Compares rows with those of the facts' owner. Where some are lacking, it waits until what was told before is read, and compares again:
 * a row whose fact may be on its way is no fault, and one whose fact was passed over is.
 * @param compare a row that the owner has recorded since then may be on its way
 */
export async function compareTold(
  pool: Pool,
  told: Told,
  compare: (readUntil: Date) => Promise<Unlike>,
  waitMs = WAIT_MS,
): Promise<Unlike> {
  const { asked, readUntil } = await progressOf(pool, told);
  const found = await compare(readUntil);
  const isLacking = found.behind > 0 || found.wrong.some(({ kept }) => kept === null);
  if (!isLacking) return found;
  const deadlineMs = performance.now() + waitMs;
  let reached = readUntil;
  while (reached < asked && performance.now() < deadlineMs) {
    await delay(LOOK_MS);
    ({ readUntil: reached } = await progressOf(pool, told));
  }
  return compare(reached);
}

/** Of all partitions the least, or of what the owner has not told yet. */
async function progressOf(
  pool: Pool,
  { topic, outbox }: Told,
): Promise<{ readonly asked: Date; readonly readUntil: Date }> {
  const untold =
    outbox === undefined
      ? ''
      : `, (select (coalesce(value::json -> 0, value::json) ->> 'recorded_at')::timestamptz from ${escapeIdentifier(outbox)}.outbox
          where topic = $1 order by id limit 1)`;
  const { rows } = await pool.query<{ asked: Date; readUntil: Date }>(
    // Where nothing was read yet, there is no least of it and the outbox.
    `select clock_timestamp() as asked, case when count(*) = 0 then 'epoch'
       else least(min(read_until)${untold}) - interval '${PUBLISHED_SECONDS} s' end as "readUntil"
     from fact_progress where topic = $1`,
    [topic],
  );
  const [progress] = rows;
  if (progress === undefined) throw new Error('An aggregate has one row.');
  return progress;
}
