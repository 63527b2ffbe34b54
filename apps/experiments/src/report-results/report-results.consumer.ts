import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ResourceDatabase } from '@truetally/resource';
import { reportResults, reportSeries } from './report-results.js';

@Controller()
export class ReportResultsConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.reportResults)
  results(@Payload() message: unknown) {
    return this.database.report(message, reportResults);
  }

  @MessagePattern(OPERATIONS.reportSeries)
  series(@Payload() message: unknown) {
    return this.database.report(message, (client, query) => reportSeries(client, query, Date.now()));
  }
}
