import { Controller, Get, Inject, Res } from '@nestjs/common';
import { FoundClick, PublisherReport } from '@truetally/contracts/publisher';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersFile, Refuses } from '../../http/route-rules.js';
import { REPORT_QUERY } from './report-query.js';
import { CLICK_QUERY, ReportReader } from './report-reader.js';

@Controller('api/v1/analytics')
export class ReportController {
  constructor(@Inject(ReportReader) private readonly reader: ReportReader) {}

  @Get('publishers')
  @Credential('owner-alone')
  @KnownQuery(REPORT_QUERY)
  @Answers(PublisherReport)
  @Refuses(409)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.read(exchange);
  }

  @Get('publishers.csv')
  @Credential('owner-alone')
  @KnownQuery(REPORT_QUERY)
  @AnswersFile('text/csv')
  @Refuses(409)
  readCsv(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.readCsv(exchange);
  }

  @Get('publishers/clicks')
  @Credential('owner-alone')
  @KnownQuery(CLICK_QUERY)
  @Answers(FoundClick)
  @Refuses(409)
  findClick(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.findClick(exchange);
  }
}
