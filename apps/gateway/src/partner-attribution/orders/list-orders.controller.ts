import { Controller, Get } from '@nestjs/common';
import { ListedOrder } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../../ask/ask.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { AnswersPageOf, Credential, KnownQuery } from '../../http/route-rules.js';
import { ORDER_LIST_QUERY, readOrderFilters } from './order-list-query.js';
import { readSitePageWith } from '../site-query.js';

/** The site's orders with what remains of them and who shares their commission (interface page, section 6). */
@Controller('api/v1/partner-attribution')
export class ListOrdersController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  @Get('orders')
  @Credential('attribution-reader')
  @KnownQuery(ORDER_LIST_QUERY)
  @AnswersPageOf(ListedOrder)
  async list(exchange: Exchange): Promise<void> {
    const asked = readSitePageWith(exchange, this.sites, readOrderFilters);
    if (asked !== undefined) await this.asker.answer(exchange, OPERATIONS.listOrders, asked);
  }
}
