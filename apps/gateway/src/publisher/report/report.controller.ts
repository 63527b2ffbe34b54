import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery } from '../../http/route-rules.js';
import { REPORT_QUERY } from './report-query.js';
import { ReportReader } from './report-reader.js';

@Controller('api/v1/analytics')
export class ReportController {
  constructor(@Inject(ReportReader) private readonly reader: ReportReader) {}

  @Get('publishers')
  @Credential('owner-alone')
  @KnownQuery(...REPORT_QUERY)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.read(exchange);
  }

  @Get('publishers.csv')
  @Credential('owner-alone')
  @KnownQuery(...REPORT_QUERY)
  readCsv(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.readCsv(exchange);
  }

  @Get('publishers/clicks')
  @Credential('owner-alone')
  @KnownQuery('reference', 'site_id')
  findClick(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reader.findClick(exchange);
  }
}
