import { toldBy } from '../fold-facts/fold-facts.js';
import { FoldStore } from '../storage/fold.store.js';
import type { WorkspaceOf } from '../storage/parked-baskets.store.js';
import type { Pool } from 'pg';
import { eventFact, type ToldEvent } from './told-facts.js';

/** Tests tell their events in minutes from this UTC day on. */
export const FIRST_DAY = 20_454;
export const DAY_MINUTES = 1_440;
const TODAY = FIRST_DAY + 3;

const UNPRICED = { localeOf: () => ({ timeZone: 'UTC', currency: 'EUR' }) };
let ids = 0;

function one(type: string, session: string, properties: object, changes: Partial<ToldEvent> = {}): ToldEvent {
  ids += 1;
  return { id: String(ids), type, session, minute: 1, properties, ...changes };
}

export function view(session: string, product_id: string, changes: Partial<ToldEvent> = {}): ToldEvent {
  return one('product_view', session, { product_id }, changes);
}

export function purchase(session: string, ...bought: readonly string[]): ToldEvent {
  const lines = bought.map((product_id) => ({ product_id }));
  return one('purchase', session, { order_id: 'o', total: 1, lines });
}

interface TellOptions {
  /** A UTC day since 1970. */
  readonly today?: number | undefined;
  readonly keepsEvents?: boolean;
  readonly workspaceOf?: WorkspaceOf;
}

export function tellProducts(
  pool: Pool,
  siteId: string,
  told: readonly ToldEvent[],
  options?: TellOptions,
): Promise<void> {
  return tellProductsOf(
    pool,
    told.map((event) => ({ siteId, event })),
    options,
  );
}

/** Events of several sites, in one fold. */
export async function tellProductsOf(
  pool: Pool,
  told: readonly { readonly siteId: string; readonly event: ToldEvent }[],
  { today = TODAY, keepsEvents = true, workspaceOf = (siteId) => siteId }: TellOptions = {},
): Promise<void> {
  const facts = told.map(({ siteId, event }) => eventFact(siteId, event));
  const store = new FoldStore(pool, keepsEvents, workspaceOf, () => today);
  return store.fold(await toldBy(facts, UNPRICED, { keepsEvents }));
}
