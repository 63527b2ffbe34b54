import type { DifferencePart } from '@truetally/node';

export type RevenuePart = DifferencePart['part'];

/** Why events and orders differ, in the order of the API; the sign says which side has it. */
export const REVENUE_PARTS: Readonly<
  Record<RevenuePart, { readonly title: string; readonly meaning: string }>
> = {
  orders_without_event: {
    title: 'Orders without an event',
    meaning:
      'The backend recorded the order, and no purchase event came: a blocked script, or a closed page.',
  },
  events_without_order: {
    title: 'Events without an order',
    meaning: 'A purchase event came, and the backend recorded no such order: a test, or a failed payment.',
  },
  repeated_events: {
    title: 'Repeated events',
    meaning: 'Further events of one order: a confirmation page that was loaded again.',
  },
  outside_window: {
    title: 'The other one is outside these days',
    meaning: 'Event and order match, and only one of them lies in these days.',
  },
  other_amount: {
    title: 'Another amount',
    meaning: 'Event and order match, and their amounts differ: tax, shipping or a discount.',
  },
  adjustments: { title: 'Adjustments', meaning: 'Returns and corrections that were recorded in these days.' },
  cancellations: { title: 'Cancellations', meaning: 'Orders that were cancelled in these days.' },
};

function isRevenuePart(text: unknown): text is RevenuePart {
  return typeof text === 'string' && Object.hasOwn(REVENUE_PARTS, text);
}

const CURRENCY = /^[A-Z]{3}$/;

export interface RevenueSearch {
  readonly part?: RevenuePart;
  readonly currency?: string;
}

/** Which part of an address is opened: both, or none. */
export function readRevenueSearch({ part, currency }: Record<string, unknown>): RevenueSearch {
  return isRevenuePart(part) && typeof currency === 'string' && CURRENCY.test(currency)
    ? { part, currency }
    : {};
}
