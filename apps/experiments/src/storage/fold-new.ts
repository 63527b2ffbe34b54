import type { ClientBase } from 'pg';
import { type Account, addAccounts, EMPTY_ACCOUNT, isSameAccount } from '../domain/account.js';
import { changeOfHours, hourIn, newSession } from '../domain/fold-session.js';
import type { OrderRecord } from '../domain/order-account.js';
import { continueOrder, type OrderChange, type OrderState, recomputeOrder } from '../domain/order-state.js';
import { dayOf, SumChanges } from '../domain/sum-changes.js';
import { type OrderOf, orderKey, readOrders, storeOrders } from './order-states.js';
import type { RecordsByAssignment } from './record-rows.js';
import { type KnownSession, readOrderRecords, readSessionHours, readSessions } from './session-reads.js';
import { addToSessionHours, type SessionHour, storeAccounts } from './session-rows.js';
import { addToSums } from './sum-rows.js';

/** Sessions and records that this transaction has stored first, and not folded yet. */
export interface NewRows {
  readonly sessions: ReadonlySet<string>;
  readonly records: RecordsByAssignment;
}

/**
 * Folds new rows into the sums, in the transaction that stored them and locked their sites. It reads the state of
 * each order and the later hours of its session, and the former records only of an order whose records come out of
 * their order: the cost of a record does not depend on the number of records before.
 */
export async function foldNew(client: ClientBase, { sessions, records }: NewRows): Promise<void> {
  const touched = [...new Set([...sessions, ...records.keys()])];
  if (touched.length === 0) return;
  const [known, states, hours] = await Promise.all([
    readSessions(client, touched),
    readOrders(client, ordersIn(records)),
    readSessionHours(client, sinceOf(records)),
  ]);
  const changes = new Changes();
  for (const session of known) {
    if (sessions.has(session.assignmentId)) changes.addSession(session);
    const added = records.get(session.assignmentId);
    if (added === undefined) continue;
    const orders = new Map<string, OrderChange>();
    for (const [conversionId, own] of Map.groupBy(added, (record) => record.conversionId)) {
      const change = await changeOfOrder(client, session, states, { conversionId, own });
      if (change !== undefined) orders.set(conversionId, change);
    }
    changes.addOrders(session, orders, hours.get(session.assignmentId) ?? new Map());
  }
  await changes.store(client);
}

async function changeOfOrder(
  client: ClientBase,
  { assignmentId, session }: KnownSession,
  states: ReadonlyMap<string, OrderState>,
  { conversionId, own }: { readonly conversionId: string; readonly own: readonly OrderRecord[] },
): Promise<OrderChange | undefined> {
  const continued = continueOrder(session, states.get(orderKey({ assignmentId, conversionId })), own);
  if (continued !== undefined) return continued;
  const added = new Set(own.map(({ recordId }) => recordId));
  const all = await readOrderRecords(client, assignmentId, conversionId);
  return recomputeOrder(session, all, (recordId) => added.has(recordId));
}

/** What one transaction changes. */
class Changes {
  private readonly sums = new SumChanges();
  private readonly accounts = new Map<string, Account>();
  private readonly hours: SessionHour[] = [];
  private readonly orders: (OrderOf & { readonly siteId: string; readonly state: OrderState })[] = [];

  addSession(session: KnownSession): void {
    this.sums.addSession(session, partsOf(session));
    if (!session.isExcluded) this.sums.add(session, newSession(session.session));
  }

  addOrders(
    session: KnownSession,
    orders: ReadonlyMap<string, OrderChange>,
    known: ReadonlyMap<number, Account>,
  ): void {
    const { assignmentId, siteId } = session;
    const changes = new Map<number, Account>();
    for (const [conversionId, { state, hours, otherCurrencies }] of orders) {
      this.orders.push({ assignmentId, conversionId, siteId, state });
      for (const [hourMs, change] of hours) {
        const before = changes.get(hourMs);
        changes.set(hourMs, before === undefined ? change : addAccounts(before, change));
      }
      if (!session.isExcluded) this.sums.add(session, { hours: new Map(), otherCurrencies });
    }
    const hours = session.isExcluded ? [] : changeOfHours(session.account, known, changes);
    this.sums.add(session, { hours: new Map(hours), otherCurrencies: new Map() });
    let account = session.account;
    for (const [hourMs, change] of changes) {
      if (isSameAccount(change, EMPTY_ACCOUNT)) continue;
      account = addAccounts(account, change);
      this.hours.push({ assignmentId, siteId, hourMs, change });
    }
    if (!isSameAccount(account, session.account)) this.accounts.set(assignmentId, account);
  }

  async store(client: ClientBase): Promise<void> {
    await Promise.all([
      storeOrders(client, this.orders),
      addToSessionHours(client, this.hours),
      storeAccounts(client, this.accounts),
      addToSums(client, this.sums),
    ]);
  }
}

/** The parts of the sample in which a session counts: an excluded one in none but its own. */
export function partsOf({ session, provider, device, isExcluded }: KnownSession) {
  if (isExcluded) return [{ dimension: 'excluded', value: 'network' }] as const;
  return [
    { dimension: 'day', value: dayOf(session.assignedAtMs) },
    { dimension: 'provider', value: provider },
    { dimension: 'device', value: device },
  ] as const;
}

function ordersIn(records: RecordsByAssignment): readonly OrderOf[] {
  return [...records].flatMap(([assignmentId, own]) =>
    [...new Set(own.map(({ conversionId }) => conversionId))].map((conversionId) => ({
      assignmentId,
      conversionId,
    })),
  );
}

/** The hour of the first new record of each session. */
function sinceOf(records: RecordsByAssignment): ReadonlyMap<string, number> {
  return new Map(
    [...records].map(([assignmentId, own]) => [
      assignmentId,
      own.reduce((first, { recordedAtMs }) => Math.min(first, hourIn(0, recordedAtMs)), Infinity),
    ]),
  );
}
