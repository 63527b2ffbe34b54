import { Controller, Get } from '@nestjs/common';
import { ChainResource } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../../ask/ask.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { Answers, Credential, KnownQuery } from '../../http/route-rules.js';
import { readSite, SITE_QUERY } from '../site-query.js';

/** The head of the site's chain, and what was verified of it (interface page, section 6). */
@Controller('api/v1/partner-attribution/chain')
export class ReadChainController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  @Get()
  @Credential('attribution-reader')
  @KnownQuery(SITE_QUERY)
  @Answers(ChainResource)
  async read(exchange: Exchange): Promise<void> {
    const site_id = readSite(exchange, this.sites);
    if (site_id !== undefined) await this.asker.answer(exchange, OPERATIONS.readChain, { site_id });
  }
}
