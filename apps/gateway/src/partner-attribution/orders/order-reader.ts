import { CONVERSION_LIMITS } from '@truetally/contracts';
import { isStorableText } from '@truetally/kernel';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { Entrance } from '../../http/entrance.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { OrderLedgerClient } from '../order-ledger-client.js';
import { siteRefusal } from '../site-access.js';
import { readSiteQuery } from '../site-query.js';

/** An order with its entries, what remains of it, and why each touch earns what it earns (interface page, section 6). */
export class OrderReader {
  constructor(
    private readonly entrance: Entrance,
    private readonly sites: SiteDirectory,
    private readonly client: OrderLedgerClient,
  ) {}

  /** @param orderId as it stands in the path, decoded */
  async read(exchange: Exchange, orderId: string): Promise<void> {
    const caller = await this.entrance.receiveQuery(exchange);
    if (caller === undefined) return;
    const asked = readSiteQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const { siteId } = asked.value;
    const refusal = siteRefusal(caller, siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    // No order has such an id.
    if (!isOrderId(orderId)) return refuse(exchange, 'not-found');
    const order = await this.client.readOrder(exchange, siteId, orderId);
    if (!order.ok) return refuseAs(exchange, refusalOf(order.error), order.error.details);
    answer(exchange, 200, JSON.stringify(order.value));
  }
}

function isOrderId(text: string): boolean {
  return isStorableText(text) && Array.from(text).length <= CONVERSION_LIMITS.idCharacters;
}
