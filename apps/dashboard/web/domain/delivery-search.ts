import { idOf } from './event-search.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

export interface DeliverySearch {
  readonly status?: (typeof DELIVERY_STATUSES)[number];
  readonly order_id?: string;
  readonly event_id?: string;
  readonly record_id?: string;
}

/** What of an address narrows the list of deliveries; a broken part falls away. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const status = DELIVERY_STATUSES.find((one) => one === search['status']);
  const ids = (['order_id', 'event_id', 'record_id'] as const).flatMap((name) => {
    const id = idOf(search[name]);
    return id === undefined ? [] : [[name, id] as const];
  });
  return { ...(status !== undefined && { status }), ...Object.fromEntries(ids) };
}
