import { DAY_MS } from '@truetally/kernel';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { BASKET_DAYS } from '../domain/basket.js';
import { QUARTERS_PER_DAY } from '../domain/quarters.js';

const INTERVAL_MS = 60_000;
const ROWS_PER_STEP = 2_000;
/** A product that nobody has looked at for so many days weighs a 7,000th by then. */
export const PRODUCT_DAYS = 180;

const OLD_BASKETS = `ctid = any (array(
    select ctid from session_quarters where has_basket and quarter < $1 limit ${ROWS_PER_STEP}))`;
const FORGET_BASKETS = `update session_quarters set has_basket = false, basket = null where ${OLD_BASKETS}`;
/** Where sessions are counted elsewhere, a row is for its basket alone. */
const FORGET_ROWS = `delete from session_quarters where ${OLD_BASKETS}`;
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
    private readonly options: { readonly keepsEvents?: boolean; readonly nowMs?: () => number } = {},
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
    const { keepsEvents = true, nowMs = Date.now } = this.options;
    const today = Math.floor(nowMs() / DAY_MS);
    const forget = keepsEvents ? FORGET_BASKETS : FORGET_ROWS;
    try {
      await this.repeat(async () => {
        const { rowCount } = await this.pool.query(forget, [(today - BASKET_DAYS) * QUARTERS_PER_DAY]);
        return rowCount ?? 0;
      });
      await this.repeat(async () => {
        const values = [today - PRODUCT_DAYS];
        const { rows } = await this.pool.query<{ forgotten: number }>(FORGET_PRODUCTS, values);
        return rows[0]?.forgotten ?? 0;
      });
    } catch (error) {
      this.log.warn({ err: error }, 'Old products could not be forgotten; it is tried again.');
    }
  }

  /** Terminates: each step leaves fewer rows, and none becomes as old faster than rows are deleted. */
  private async repeat(step: () => Promise<number>): Promise<void> {
    let rows = ROWS_PER_STEP;
    while (rows === ROWS_PER_STEP && !this.isClosing) rows = await step();
  }
}
