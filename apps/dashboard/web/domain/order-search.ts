import { idOf } from './event-search.js';

export const ORDER_STATES = ['recorded', 'adjusted', 'cancelled'] as const;

/** What narrows the list of orders; `order` opens one. */
export interface OrderSearch {
  readonly order?: string | undefined;
  readonly state?: (typeof ORDER_STATES)[number];
  readonly currency?: string;
  readonly order_id_prefix?: string;
  readonly touch_id?: string;
  readonly provider?: string;
  readonly partner_id?: string;
}

const IDS = ['order', 'order_id_prefix', 'touch_id', 'provider', 'partner_id'] as const;

/** Every name that `readOrderSearch` reads. */
export const ORDER_SEARCH = ['state', 'currency', ...IDS] as const;

/** What of an address narrows the list of orders; a broken part falls away. */
export function readOrderSearch(search: Record<string, unknown>): OrderSearch {
  const state = ORDER_STATES.find((one) => one === search['state']);
  const { currency } = search;
  const ids = IDS.flatMap((name) => {
    const id = idOf(search[name]);
    return id === undefined ? [] : [[name, id] as const];
  });
  return {
    ...(state !== undefined && { state }),
    ...(typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) && { currency }),
    ...Object.fromEntries(ids),
  };
}
