import { Controller } from '@nestjs/common';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { reportResults, reportSeries } from './report-results.js';

@Controller()
export class ReportResultsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.reportResults)
  results(query: ResourceQuery) {
    return this.database.report(query, reportResults);
  }

  @Handles(OPERATIONS.reportSeries)
  series(query: ResourceQuery) {
    return this.database.report(query, (client, query) => reportSeries(client, query, Date.now()));
  }
}
