import { Controller, Get, Inject, Res } from '@nestjs/common';
import { TouchResource } from '@truetally/contracts/attribution';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery, AnswersPageOf } from '../../http/route-rules.js';
import { SITE_PAGE_QUERY } from '../site-query.js';
import { SiteReads } from '../site-reads.js';
import { TouchLedgerClient } from './touch-ledger-client.js';

/** The site's touches, newest first, without their click values (interface page, section 6). */
@Controller('api/v1/partner-attribution')
export class ListTouchesController {
  constructor(
    @Inject(SiteReads) private readonly reads: SiteReads,
    @Inject(TouchLedgerClient) private readonly ledger: TouchLedgerClient,
  ) {}

  @Get('touches')
  @Credential('attribution-reader')
  @KnownQuery(SITE_PAGE_QUERY)
  @AnswersPageOf(TouchResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reads.list(exchange, (page) => this.ledger.list(exchange, page));
  }
}
