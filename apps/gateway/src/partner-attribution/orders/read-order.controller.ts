import { Controller, Get } from '@nestjs/common';
import { CONVERSION_LIMITS, MAX_ORDER_ENTRIES, OrderResource } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { failure, isStorableText } from '@truetally/kernel';
import { Asker } from '../../ask/ask.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange, Params } from '../../http/exchange.js';
import { pageParameters } from '../../http/query-reader.js';
import { refuseAs } from '../../http/respond.js';
import { Credential, KnownQuery, Answers } from '../../http/route-rules.js';
import { readSitePage, SITE_PAGE_QUERY } from '../site-query.js';

/** Most orders fit into one page (docs/decisions/ledger.md). */
const ENTRY_PAGE = { usual: MAX_ORDER_ENTRIES, most: MAX_ORDER_ENTRIES };
const NO_SUCH_ORDER = refusalOf(failure('NOT_FOUND', 'There is no such order').error);

@Controller('api/v1/partner-attribution')
export class ReadOrderController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  /**
   * An order with its entries, what remains of it, and why each touch earns its share (interface page, section
   * 6).
   */
  @Get('orders/:order_id')
  @Credential('attribution-reader')
  @KnownQuery({ ...SITE_PAGE_QUERY, ...pageParameters(ENTRY_PAGE) })
  @Answers(OrderResource)
  async read(exchange: Exchange, { order_id: orderId }: Params<'order_id'>): Promise<void> {
    const page = readSitePage(exchange, this.sites, ENTRY_PAGE);
    if (page === undefined) return;
    if (!isOrderId(orderId)) return refuseAs(exchange, NO_SUCH_ORDER);
    await this.asker.answer(exchange, OPERATIONS.readOrder, { ...page, order_id: orderId });
  }
}

function isOrderId(text: string): boolean {
  return isStorableText(text) && Array.from(text).length <= CONVERSION_LIMITS.idCharacters;
}
