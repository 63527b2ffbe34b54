import type { ClientBase } from 'pg';
import type { OrderState } from '../domain/order-state.js';

/** An order of a session. */
export interface OrderOf {
  readonly assignmentId: string;
  readonly conversionId: string;
}

/** Columns of amounts and counts, with their names in an order's state. */
const NUMBERS = [
  ['revenue', 'revenue'],
  ['commission', 'commission'],
  ['earning_revenue', 'earningRevenue'],
  ['base_margin', 'baseMargin'],
  ['base_revenue', 'baseRevenue'],
  ['refunds', 'refunds'],
  ['refund_amount', 'refundAmount'],
  ['cancellations', 'cancellations'],
  ['cancellation_amount', 'cancellationAmount'],
] as const satisfies readonly (readonly [string, keyof OrderState])[];
type NumberColumn = (typeof NUMBERS)[number][0];

interface OrderRow extends Readonly<Record<NumberColumn, string>> {
  readonly assignment_id: string;
  readonly conversion_id: string;
  readonly last_sequence: number;
  readonly last_hour_ms: string;
  readonly purchased_us: string;
  readonly currency: string;
  readonly has_exact_margin: boolean;
  readonly rule: OrderState['rule'];
}

const COLUMNS = [
  'last_sequence',
  'last_hour_ms',
  'purchased_us',
  'currency',
  'has_exact_margin',
  'rule',
  ...NUMBERS.map(([column]) => column),
];
const TEXTS = `assignment_id, conversion_id, last_sequence, last_hour_ms::text, purchased_us::text, currency,
  has_exact_margin, rule, ${NUMBERS.map(([column]) => `${column}::text`).join(', ')}`;

export const READ_ORDERS = `
  select o.* from unnest($1::uuid[], $2::uuid[]) as asked (id, conversion_id)
  cross join lateral (
    select ${TEXTS} from session_orders o
    where o.assignment_id = asked.id and o.conversion_id = asked.conversion_id limit 1
  ) o`;

/** The states of orders, by `orderKey`. */
export async function readOrders(
  client: Pick<ClientBase, 'query'>,
  orders: readonly OrderOf[],
): Promise<ReadonlyMap<string, OrderState>> {
  if (orders.length === 0) return new Map();
  const { rows } = await client.query<OrderRow>({
    name: 'read-session-orders',
    text: READ_ORDERS,
    values: [orders.map(({ assignmentId }) => assignmentId), orders.map(({ conversionId }) => conversionId)],
  });
  return statesOf(rows);
}

/** The states of all orders of some sessions: for a verification. */
export async function readOrdersOf(
  client: Pick<ClientBase, 'query'>,
  assignmentIds: readonly string[],
): Promise<ReadonlyMap<string, OrderState>> {
  const { rows } = await client.query<OrderRow>({
    name: 'read-orders-of-sessions',
    text: `select ${TEXTS} from session_orders where assignment_id = any($1::uuid[])`,
    values: [assignmentIds],
  });
  return statesOf(rows);
}

const NUMBER_TYPES = NUMBERS.map((_, place) => `$${place + 10}::numeric[]`).join(', ');
const STORE_ORDERS = `
  insert into session_orders (assignment_id, conversion_id, site_id, ${COLUMNS.join(', ')})
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[],
    $8::boolean[], $9::text[], ${NUMBER_TYPES})
  on conflict (assignment_id, conversion_id) do update set
    ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** Stores the new states of orders. */
export async function storeOrders(
  client: ClientBase,
  orders: readonly (OrderOf & { readonly siteId: string; readonly state: OrderState })[],
): Promise<void> {
  if (orders.length === 0) return;
  await client.query({
    name: 'store-session-orders',
    text: STORE_ORDERS,
    values: [
      orders.map(({ assignmentId }) => assignmentId),
      orders.map(({ conversionId }) => conversionId),
      orders.map(({ siteId }) => siteId),
      orders.map(({ state }) => state.lastSequence),
      orders.map(({ state }) => state.lastHourMs),
      orders.map(({ state }) => String(state.purchasedAt)),
      orders.map(({ state }) => state.currency),
      orders.map(({ state }) => state.hasExactMargin),
      orders.map(({ state }) => state.rule),
      ...NUMBERS.map(([, field]) => orders.map(({ state }) => String(state[field]))),
    ],
  });
}

/** The name of an order of a session in a map. */
export function orderKey({ assignmentId, conversionId }: OrderOf): string {
  return `${assignmentId} ${conversionId}`;
}

function statesOf(rows: readonly OrderRow[]): ReadonlyMap<string, OrderState> {
  return new Map(
    rows.map((row) => [
      orderKey({ assignmentId: row.assignment_id, conversionId: row.conversion_id }),
      toState(row),
    ]),
  );
}

function toState(row: OrderRow): OrderState {
  return {
    lastSequence: row.last_sequence,
    lastHourMs: Number(row.last_hour_ms),
    purchasedAt: BigInt(row.purchased_us),
    currency: row.currency,
    hasExactMargin: row.has_exact_margin,
    rule: row.rule,
    revenue: BigInt(row.revenue),
    commission: BigInt(row.commission),
    earningRevenue: BigInt(row.earning_revenue),
    baseMargin: BigInt(row.base_margin),
    baseRevenue: BigInt(row.base_revenue),
    refunds: BigInt(row.refunds),
    refundAmount: BigInt(row.refund_amount),
    cancellations: BigInt(row.cancellations),
    cancellationAmount: BigInt(row.cancellation_amount),
  };
}
