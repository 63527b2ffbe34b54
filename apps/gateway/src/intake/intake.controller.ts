import { Controller, Get } from '@nestjs/common';
import { SiteIntake } from '@truetally/contracts/events';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, Credential, KnownQuery } from '../http/route-rules.js';
import { IntakeReader } from './intake-reader.js';
import { INTAKE_QUERY } from './intake-window.js';

/** What came in of a site (interface page, sections 4 and 9). */
@Controller('api/v1/sites/:site_id/intake')
export class IntakeController {
  constructor(private readonly reader: IntakeReader) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery(INTAKE_QUERY)
  @Answers(SiteIntake)
  read(exchange: Exchange, { site_id: siteId }: Params<'site_id'>): Promise<void> {
    return this.reader.read(exchange, siteId.toLowerCase());
  }
}
