import { CONVERSION_LIMITS, MAX_ORDER_ENTRIES } from '@truetally/contracts/attribution';
import { fail, type FieldErrors, failure, isStorableText, type Result } from '@truetally/kernel';
import type { Exchange } from '../../http/exchange.js';
import { pageParameters, type QueryParameters, QueryReader } from '../../http/query-reader.js';
import type { OrderLedgerClient } from '../order-ledger-client.js';
import { readSiteId, SITE_PAGE_QUERY, type SitePage } from '../site-query.js';
import type { SiteReads } from '../site-reads.js';

/** Most orders fit into one page (docs/decisions/ledger.md). */
const ENTRY_PAGE = { usual: MAX_ORDER_ENTRIES, most: MAX_ORDER_ENTRIES };
const NO_SUCH_ORDER = fail(failure('NOT_FOUND', 'There is no such order').error);

/**
 * An order with its entries, what remains of it, and why each touch earns its share (interface page, section
 * 6).
 */
export class OrderReader {
  constructor(
    private readonly reads: SiteReads,
    private readonly ledger: OrderLedgerClient,
  ) {}

  /** @param orderId from the path, decoded */
  read(exchange: Exchange, orderId: string): Promise<void> {
    return this.reads.read(exchange, readOrderQuery, async (page) =>
      isOrderId(orderId) ? this.ledger.readOrder(exchange, orderId, page) : NO_SUCH_ORDER,
    );
  }
}

export const ORDER_QUERY: QueryParameters = { ...SITE_PAGE_QUERY, ...pageParameters(ENTRY_PAGE) };

function readOrderQuery(query: URLSearchParams | undefined): Result<SitePage, FieldErrors> {
  const reader = new QueryReader(query);
  return reader.result({ siteId: readSiteId(reader), ...reader.page(ENTRY_PAGE) });
}

function isOrderId(text: string): boolean {
  return isStorableText(text) && Array.from(text).length <= CONVERSION_LIMITS.idCharacters;
}
