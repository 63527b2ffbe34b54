import { Controller, Get } from '@nestjs/common';
import { TouchResource } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../../ask/ask.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { Credential, KnownQuery, AnswersPageOf } from '../../http/route-rules.js';
import { readSitePage, SITE_PAGE_QUERY } from '../site-query.js';

/** The site's touches, newest first, without their click values (interface page, section 6). */
@Controller('api/v1/partner-attribution')
export class ListTouchesController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  @Get('touches')
  @Credential('attribution-reader')
  @KnownQuery(SITE_PAGE_QUERY)
  @AnswersPageOf(TouchResource)
  async list(exchange: Exchange): Promise<void> {
    const page = readSitePage(exchange, this.sites);
    if (page !== undefined) await this.asker.answer(exchange, OPERATIONS.listTouches, page);
  }
}
