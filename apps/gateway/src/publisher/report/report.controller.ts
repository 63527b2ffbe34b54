import { Controller, Get } from '@nestjs/common';
import { FoundClick, PublisherReport } from '@truetally/contracts/publisher';
import type { Exchange } from '../../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersFile, Refuses } from '../../http/route-rules.js';
import { REPORT_QUERY } from './report-query.js';
import { CLICK_QUERY, ReportReader } from './report-reader.js';

@Controller('api/v1/analytics')
export class ReportController {
  constructor(private readonly reader: ReportReader) {}

  @Get('publishers')
  @Credential('owner-alone')
  @KnownQuery(REPORT_QUERY)
  @Answers(PublisherReport)
  @Refuses(409)
  read(exchange: Exchange): Promise<void> {
    return this.reader.read(exchange);
  }

  @Get('publishers.csv')
  @Credential('owner-alone')
  @KnownQuery(REPORT_QUERY)
  @AnswersFile('text/csv')
  @Refuses(409)
  readCsv(exchange: Exchange): Promise<void> {
    return this.reader.readCsv(exchange);
  }

  @Get('publishers/clicks')
  @Credential('owner-alone')
  @KnownQuery(CLICK_QUERY)
  @Answers(FoundClick)
  @Refuses(409)
  findClick(exchange: Exchange): Promise<void> {
    return this.reader.findClick(exchange);
  }
}
