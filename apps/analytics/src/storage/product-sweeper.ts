import { DAY_MS } from '@truetally/kernel';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { BASKET_DAYS } from '../domain/basket.js';
import { QUARTERS_PER_DAY } from '../domain/quarters.js';

const INTERVAL_MS = 60_000;
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
export class ProductSweeper {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private isClosing = false;

  constructor(
    private readonly pool: Pool,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly nowMs: () => number = Date.now,
  ) {}

  start(): this {
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, INTERVAL_MS);
    this.timer.unref();
    return this;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** In small pieces, until nothing is too old. */
  async sweep(): Promise<void> {
    const today = Math.floor(this.nowMs() / DAY_MS);
    try {
      await this.repeat(FORGET_BASKETS, (today - BASKET_DAYS) * QUARTERS_PER_DAY);
      await this.repeat(FORGET_PRODUCTS, today - PRODUCT_DAYS);
    } catch (error) {
      this.log.warn({ err: error }, 'Old products could not be forgotten; it is tried again.');
    }
  }

  /** Terminates: each step leaves fewer rows, and none becomes as old faster than rows are deleted. */
  private async repeat(step: string, before: number): Promise<void> {
    let forgotten: number | undefined = ROWS_PER_STEP;
    while (forgotten === ROWS_PER_STEP && !this.isClosing) {
      const { rows } = await this.pool.query<{ forgotten: number }>(step, [before]);
      forgotten = rows[0]?.forgotten;
    }
  }
}
