import type { ConversionCommand } from '@truetally/contracts/attribution';

/** What the ledger should say of an order; amounts fit a double. */
export interface ModelOrder {
  readonly currency: string;
  state: 'recorded' | 'adjusted' | 'cancelled';
  revenue: number;
  commissionable: number;
  commission: number;
  occurredAt: string;
  readonly touchIds: readonly string[];
  /** Those known when a record was written. */
  matched: ReadonlySet<string>;
  /** Revenue of each record. */
  readonly deltas: number[];
}

interface Remaining {
  readonly revenue: number;
  readonly commissionable: number;
}

export type ModelAnswer =
  ({ readonly kind: 'accepted' | 'replayed' } & Remaining) | { readonly kind: 'refused' };

/** What a touch earns in the model: parts of a hundred of what remains, or minor units of EUR. */
export interface ModelTouch {
  readonly percent?: number;
  readonly fixedEur?: number;
}

/**
 * The ledger of one site as one would write it without a database: the rules of section 6, one command at a time.
 * Written apart from the service's own domain, so that the same mistake would have to be made twice.
 */
export class LedgerModel {
  readonly orders = new Map<string, ModelOrder>();
  readonly arrived = new Set<string>();
  private readonly keys = new Map<string, { readonly content: string; readonly answer: Remaining }>();

  constructor(private readonly earning: ReadonlyMap<string, ModelTouch>) {}

  apply(command: ConversionCommand): ModelAnswer {
    const content = contentOf(command);
    const known = this.keys.get(command.idempotencyKey);
    if (known !== undefined) {
      return known.content === content ? { ...known.answer, kind: 'replayed' } : { kind: 'refused' };
    }
    const order = this.next(command);
    if (order === undefined) return { kind: 'refused' };
    this.orders.set(command.orderId, order);
    this.settle(order);
    const { revenue, commissionable } = order;
    this.keys.set(command.idempotencyKey, { content, answer: { revenue, commissionable } });
    return { kind: 'accepted', revenue, commissionable };
  }

  /** A touch arrives, and every order that waited for it is matched. */
  arrive(touchId: string): void {
    this.arrived.add(touchId);
    for (const order of this.orders.values()) {
      if (order.state !== 'cancelled' && order.touchIds.includes(touchId)) this.settle(order);
    }
  }

  private next(command: ConversionCommand): ModelOrder | undefined {
    const order = this.orders.get(command.orderId);
    if (command.eventType === 'purchase') {
      if (order !== undefined) return undefined;
      return {
        currency: command.currency,
        state: 'recorded',
        revenue: Number(command.revenue),
        commissionable: Number(command.commissionableSubtotal),
        commission: 0,
        occurredAt: command.occurredAt,
        touchIds: command.touchIds,
        matched: new Set(),
        deltas: [Number(command.revenue)],
      };
    }
    if (order === undefined || order.state === 'cancelled' || order.currency !== command.currency)
      return undefined;
    if (command.occurredAt <= order.occurredAt) return undefined;
    const { occurredAt } = command;
    if (command.eventType === 'cancellation') {
      if (Number(command.reversedRevenue) !== order.revenue) return undefined;
      const deltas = [...order.deltas, -order.revenue];
      return { ...order, state: 'cancelled', revenue: 0, commissionable: 0, occurredAt, deltas };
    }
    const revenue = order.revenue + Number(command.revenueDelta);
    const commissionable = order.commissionable + Number(command.commissionableDelta);
    if (revenue < 0 || commissionable < 0) return undefined;
    const deltas = [...order.deltas, Number(command.revenueDelta)];
    return { ...order, state: 'adjusted', revenue, commissionable, occurredAt, deltas };
  }

  /** Commission is what remains says, whatever came before. */
  private settle(order: ModelOrder): void {
    order.matched = new Set(order.touchIds.filter((touchId) => this.arrived.has(touchId)));
    const parts: number[] = [];
    for (const touchId of order.matched) {
      const { percent, fixedEur } = this.earning.get(touchId) ?? {};
      if (percent !== undefined) parts.push(percent * order.commissionable);
      else if (fixedEur !== undefined && order.currency === 'EUR') {
        parts.push(order.commissionable > 0 ? fixedEur * HUNDRED : 0);
      }
    }
    const sum = parts.reduce((left, right) => left + right, 0);
    order.commission = parts.length === 0 ? 0 : halfEven(sum, parts.length * HUNDRED);
  }
}

const HUNDRED = 100;

function halfEven(numerator: number, denominator: number): number {
  const whole = Math.floor(numerator / denominator);
  const rest = numerator - whole * denominator;
  const isUp = rest * 2 > denominator || (rest * 2 === denominator && whole % 2 === 1);
  return isUp ? whole + 1 : whole;
}

/** Two commands with equal contents are the same payload. */
export function contentOf(command: ConversionCommand): string {
  return JSON.stringify(command, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
