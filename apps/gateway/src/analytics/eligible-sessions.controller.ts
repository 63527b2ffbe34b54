import { Controller, Get } from '@nestjs/common';
import { EligibleSessions } from '@truetally/contracts/analytics';
import type { Exchange } from '../http/exchange.js';
import { Answers, Credential, KnownQuery } from '../http/route-rules.js';
import { ELIGIBLE_QUERY, EligibleSessionReader } from './eligible-session-reader.js';

/** For who plans a partner experiment (interface page, section 7). */
@Controller('api/v1/partner-experiments/eligible-sessions')
export class EligibleSessionsController {
  constructor(private readonly reader: EligibleSessionReader) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery(ELIGIBLE_QUERY)
  @Answers(EligibleSessions)
  count(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange);
  }
}
