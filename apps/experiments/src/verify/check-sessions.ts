import type { ClientBase } from 'pg';
import { type Account, ACCOUNT_FIELDS, EMPTY_ACCOUNT } from '../domain/account.js';
import { foldSession } from '../domain/fold-session.js';
import type { OrderRecord } from '../domain/order-account.js';
import { type OrderState, stateOf } from '../domain/order-state.js';
import type { SumChanges } from '../domain/sum-changes.js';
import { partsOf } from '../storage/fold-new.js';
import { orderKey, readOrdersOf } from '../storage/order-states.js';
import { type KnownSession, readRecords, readSessionHours, readSessions } from '../storage/session-reads.js';

/**
 * Recomputes sessions from their records: their totals, those by hour, and the states of their orders.
 * @param wanted receives what they contribute to the sums
 * @returns the first difference; null when all agree
 */
export async function checkSessions(
  client: ClientBase,
  assignmentIds: readonly string[],
  wanted: SumChanges,
): Promise<string | null> {
  const sessions = await readSessions(client, assignmentIds);
  const records = await readRecords(client, assignmentIds);
  const hours = await readSessionHours(client, new Map(assignmentIds.map((id) => [id, 0])));
  const orders = await readOrdersOf(client, assignmentIds);
  const checked = new Set<string>();
  for (const session of sessions) {
    const { assignmentId } = session;
    const own = records.get(assignmentId) ?? [];
    const folded = foldSession(session.session, own);
    const fault =
      differenceOf(folded.account, session.account) ??
      differenceOfHours(folded.accounts, hours.get(assignmentId) ?? new Map()) ??
      differenceOfOrders(session, own, orders, checked);
    if (fault !== null) return `session ${assignmentId} ${fault}`;
    if (!session.isExcluded) wanted.add(session, folded);
    wanted.addSession(session, partsOf(session));
  }
  const stray = [...orders.keys()].find((key) => !checked.has(key));
  return stray === undefined ? null : `order ${stray} has no record`;
}

function differenceOf(should: Account, is: Account): string | null {
  const field = ACCOUNT_FIELDS.find((name) => is[name] !== should[name]);
  return field === undefined ? null : `has ${field} ${is[field]} instead of ${should[field]}`;
}

/** Missing and zero are equal. */
function differenceOfHours(
  should: ReadonlyMap<number, Account>,
  is: ReadonlyMap<number, Account>,
): string | null {
  for (const hourMs of new Set([...should.keys(), ...is.keys()])) {
    const fault = differenceOf(should.get(hourMs) ?? EMPTY_ACCOUNT, is.get(hourMs) ?? EMPTY_ACCOUNT);
    if (fault !== null) return `in hour ${new Date(hourMs).toISOString()} ${fault}`;
  }
  return null;
}

function differenceOfOrders(
  { assignmentId, session }: KnownSession,
  records: readonly OrderRecord[],
  orders: ReadonlyMap<string, OrderState>,
  checked: Set<string>,
): string | null {
  for (const [conversionId, own] of Map.groupBy(records, (record) => record.conversionId)) {
    const key = orderKey({ assignmentId, conversionId });
    checked.add(key);
    const [should, is] = [stateOf(session, own), orders.get(key)];
    if (is === undefined) return `lacks order ${conversionId}`;
    const fields = Object.keys(is) as (keyof OrderState)[];
    const field = fields.find((name) => is[name] !== should?.[name]);
    if (field !== undefined)
      return `has order ${conversionId} with ${field} ${is[field]} instead of ${should?.[field]}`;
  }
  return null;
}
