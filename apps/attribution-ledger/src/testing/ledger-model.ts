import type { ConversionCommand } from '@truetally/contracts/attribution';

/** The expected state of an order; amounts fit a double. */
export interface ModelOrder {
  readonly currency: string;
  state: 'recorded' | 'adjusted' | 'cancelled';
  revenue: number;
  commissionable: number;
  commission: number;
  readonly purchasedAt: string;
  occurredAt: string;
  readonly touchIds: readonly string[];
  /** Those known when a record was written. */
  matched: ReadonlySet<string>;
  /** Touches that share the commission, also if it is zero. */
  sharing: ReadonlySet<string>;
  /** In force when the latest record was written. */
  decidedBy: ModelSettings;
  /** Revenue of each record. */
  readonly deltas: number[];
}

interface Remaining {
  readonly revenue: number;
  readonly commissionable: number;
}

export type ModelAnswer =
  ({ readonly kind: 'accepted' | 'replayed' } & Remaining) | { readonly kind: 'refused' };

/** Commission of a touch in the model: a percentage of the remaining amount, or minor units of EUR. */
export interface ModelTouch {
  /** ISO 8601 UTC with milliseconds, like the times of commands. */
  readonly at: string;
  readonly percent?: number;
  readonly fixedEur?: number;
}

export interface ModelSettings {
  readonly model: 'linear' | 'last_touch' | 'first_touch';
  readonly lookbackDays: number | null;
}

/**
 * The ledger of one site without a database: the rules of section 6, one command at a time. It is independent
 * of the service's own domain code, so that a mistake would have to be made twice.
 */
export class LedgerModel {
  settings: ModelSettings = { model: 'linear', lookbackDays: null };
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

  /** A touch arrives, and is matched with every order that waited for it. */
  arrive(touchId: string): void {
    this.arrived.add(touchId);
    for (const order of this.orders.values()) {
      const isAwaited = order.touchIds.includes(touchId) && !order.matched.has(touchId);
      if (order.state !== 'cancelled' && isAwaited) this.settle(order);
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
        purchasedAt: command.occurredAt,
        occurredAt: command.occurredAt,
        touchIds: command.touchIds,
        matched: new Set(),
        sharing: new Set(),
        decidedBy: this.settings,
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

  /** The commission follows from the remaining amount, not from the history. */
  private settle(order: ModelOrder): void {
    order.matched = new Set(order.touchIds.filter((touchId) => this.arrived.has(touchId)));
    order.decidedBy = this.settings;
    order.sharing = this.sharing(order);
    const parts = [...order.sharing].map((touchId) => {
      const { percent, fixedEur } = this.earning.get(touchId) ?? {};
      if (percent !== undefined) return percent * order.commissionable;
      return order.commissionable > 0 ? (fixedEur ?? 0) * HUNDRED : 0;
    });
    const sum = parts.reduce((left, right) => left + right, 0);
    order.commission = parts.length === 0 ? 0 : halfEven(sum, parts.length * HUNDRED);
  }

  /** The earning touches: all, or the first or last one; ids of the model are ASCII. */
  private sharing(order: ModelOrder): ReadonlySet<string> {
    const { model, lookbackDays } = this.settings;
    const purchased = Date.parse(order.purchasedAt);
    const eligible = [...order.matched].flatMap((touchId) => {
      const { at = '', percent, fixedEur } = this.earning.get(touchId) ?? {};
      const ageMs = purchased - Date.parse(at);
      const isInTime = ageMs >= 0 && (lookbackDays === null || ageMs <= lookbackDays * DAY_MS);
      const mayEarn = percent !== undefined || (fixedEur !== undefined && order.currency === 'EUR');
      return isInTime && mayEarn ? [{ touchId, ageMs }] : [];
    });
    if (model === 'linear') return new Set(eligible.map(({ touchId }) => touchId));
    const ages = eligible.map(({ ageMs }) => ageMs);
    const age = model === 'last_touch' ? Math.min(...ages) : Math.max(...ages);
    const tied = eligible.filter(({ ageMs }) => ageMs === age).map(({ touchId }) => touchId);
    return new Set(tied.sort().slice(0, 1));
  }
}

const HUNDRED = 100;
const DAY_MS = 86_400_000;

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
