import {
  type Attribution,
  LEDGER_ACCOUNTS,
  type MarginBasis,
  type OrderState,
} from '@truetally/contracts/attribution';
import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { Amounts } from '../domain/accounts.js';
import { ANSWER_COLUMNS, type AnswerFields } from '../domain/answers.js';
import { keyOf, type KnownKey } from '../domain/decide-group.js';
import { type Order, orderKey } from '../domain/order.js';

// Each look-up is a lateral join of one row, so that the planner cannot reorder it into a scan of the whole
// table.

const ANSWERS = ANSWER_COLUMNS.map((column) => `r.${column}::text`).join(', ');
const READ_KEYS = `
  select r.site_id, r.idempotency_key, r.fingerprint, r.correlation_id, ${ANSWERS}
  from unnest($1::text[]) as asked (name)
  cross join lateral (
    select * from records r
    where r.site_id::text || ':' || r.idempotency_key = asked.name and r.idempotency_key is not null limit 1
  ) r`;

interface KeyRow extends AnswerFields {
  readonly site_id: string;
  readonly idempotency_key: string;
  readonly fingerprint: string;
  readonly correlation_id: string;
}

/** What was accepted under these idempotency keys; keys and results by `keyOf`. */
export async function readKeys(client: ClientBase, keys: readonly string[]): Promise<Map<string, KnownKey>> {
  const { rows } = await client.query<KeyRow>({
    name: 'read-keys',
    text: READ_KEYS,
    values: [arrayLiteral(keys)],
  });
  return new Map(
    rows.map((row) => [
      keyOf(row.site_id, row.idempotency_key),
      {
        fingerprint: row.fingerprint,
        correlationId: row.correlation_id,
        accepted: row,
      },
    ]),
  );
}

const BALANCES = LEDGER_ACCOUNTS.map((account) => `last.${account}_balance::text as ${account}`).join(', ');
/** The state of an order after its record `last`; its purchase is `first`. */
export const ORDER_AFTER = `last.site_id, last.order_id, last.conversion_id, last.currency, last.state, last.order_sequence,
    last.occurred_at::text, last.margin_basis, last.attribution, ${BALANCES},
    first.occurred_at::text as purchased_at, first.touch_ids, first.experiment_assignment_ids`;
/** The purchase of the order of `last`. */
export const ITS_PURCHASE = `cross join lateral (
    select * from records r where r.conversion_id = last.conversion_id and r.order_sequence = 1 limit 1
  ) first`;
const READ_ORDERS = `
  select ${ORDER_AFTER}
  from unnest($1::uuid[]) as asked (conversion_id)
  cross join lateral (
    select * from records r where r.conversion_id = asked.conversion_id order by r.order_sequence desc limit 1
  ) last
  ${ITS_PURCHASE}`;

export interface OrderRow extends Readonly<Record<keyof Amounts, string | null>> {
  readonly site_id: string;
  readonly order_id: string;
  readonly conversion_id: string;
  readonly currency: string;
  readonly state: OrderState;
  readonly order_sequence: number;
  readonly occurred_at: string;
  readonly margin_basis: MarginBasis | null;
  readonly attribution: readonly Attribution[];
  readonly purchased_at: string;
  readonly touch_ids: readonly string[];
  readonly experiment_assignment_ids: readonly string[];
}

/** The current state of these orders, by `orderKey`. */
export async function readOrders(
  client: ClientBase,
  conversionIds: readonly string[],
): Promise<Map<string, Order>> {
  const { rows } = await client.query<OrderRow>({
    name: 'read-orders',
    text: READ_ORDERS,
    values: [arrayLiteral(conversionIds)],
  });
  return new Map(rows.map((row) => [orderKey(row.site_id, row.order_id), toOrder(row)]));
}

/** The columns of the accounts but cost and margin are never null. */
export function amountsOf(row: Readonly<Record<keyof Amounts, string | null>>): Amounts {
  const amounts = LEDGER_ACCOUNTS.map((account) => {
    const text = row[account];
    return [account, text === null ? null : BigInt(text)];
  });
  return Object.fromEntries(amounts) as Amounts;
}

export function toOrder(row: OrderRow): Order {
  return {
    siteId: row.site_id,
    orderId: row.order_id,
    conversionId: row.conversion_id,
    currency: row.currency,
    state: row.state,
    orderSequence: row.order_sequence,
    occurredAt: row.occurred_at,
    balances: amountsOf(row),
    marginBasis: row.margin_basis,
    attribution: row.attribution,
    purchasedAt: row.purchased_at,
    touchIds: row.touch_ids,
    experimentAssignmentIds: row.experiment_assignment_ids,
  };
}

const READ_LINE_IDS = `
  select r.site_id, r.order_id,
    (select array_agg(line ->> 'line_id') from json_array_elements(r.lines) as line) as line_ids
  from unnest($1::uuid[]) as asked (conversion_id)
  cross join lateral (
    select * from records r where r.conversion_id = asked.conversion_id and r.order_sequence = 1 limit 1
  ) r`;

/** Line ids of these orders' purchases, by `orderKey`. */
export async function readLineIds(
  client: ClientBase,
  conversionIds: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  if (conversionIds.length === 0) return new Map();
  const { rows } = await client.query<{ site_id: string; order_id: string; line_ids: string[] | null }>({
    name: 'read-line-ids',
    text: READ_LINE_IDS,
    values: [arrayLiteral(conversionIds)],
  });
  return new Map(rows.map((row) => [orderKey(row.site_id, row.order_id), new Set(row.line_ids ?? [])]));
}
