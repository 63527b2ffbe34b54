import { DAY_MS } from '@truetally/kernel';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import { BASKET_DAYS } from '../domain/basket.js';
import { QUARTERS_PER_DAY } from '../domain/quarters.js';

const EVERY_MS = 60_000;
const ROWS_PER_STEP = 2_000;
/** A product that nobody has looked at for so many days weighs a 7,000th by then. */
export const PRODUCT_DAYS = 180;

/** A row that is not counted is for its basket alone. */
const FORGET_BASKETS = `
  with old as (
    select ctid as place, is_counted from session_quarters where has_basket and quarter < $1 limit ${ROWS_PER_STEP}
  ), emptied as (
    update session_quarters set has_basket = false, basket = null
    where ctid = any (array(select place from old where is_counted))
  ), removed as (
    delete from session_quarters where ctid = any (array(select place from old where not is_counted))
  )
  select count(*)::integer as forgotten from old`;
/** A product's neighbours are never newer than the product itself. */
const FORGET_PRODUCTS = `
  with forgotten as (
    delete from product_popularity where ctid = any (array(
      select ctid from product_popularity where last_day < $1 limit ${ROWS_PER_STEP}))
    returning site_id, product_id
  ), lists as (
    delete from product_neighbours known using forgotten
    where known.site_id = forgotten.site_id and known.product_id = forgotten.product_id
      and known.kind in ('purchase', 'view')
  )
  select count(*)::integer as forgotten from forgotten`;

/** Forgets baskets that are no longer counted, and products that nobody looks at. */
export function sweepProducts(pool: Pool, log: Pick<Logger, 'warn'>): Repetition {
  const failure = 'Old products could not be forgotten; it is tried again.';
  return repeatedly({ everyMs: EVERY_MS, log, failure }, (stopping) =>
    forgetProducts(pool, Date.now(), stopping),
  );
}

/** In small pieces, until nothing is too old. */
export async function forgetProducts(
  pool: Pool,
  nowMs: number,
  stopping: Pick<AbortSignal, 'aborted'>,
): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS);
  /** Terminates: each step leaves fewer rows, and none becomes as old faster than rows are deleted. */
  const repeat = async (step: string, before: number): Promise<void> => {
    let forgotten: number | undefined = ROWS_PER_STEP;
    while (forgotten === ROWS_PER_STEP && !stopping.aborted) {
      forgotten = (await pool.query<{ forgotten: number }>(step, [before])).rows[0]?.forgotten;
    }
  };
  await repeat(FORGET_BASKETS, (today - BASKET_DAYS) * QUARTERS_PER_DAY);
  await repeat(FORGET_PRODUCTS, today - PRODUCT_DAYS);
}
