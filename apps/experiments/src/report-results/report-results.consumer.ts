import { Controller } from '@nestjs/common';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { ReadTurns } from '@truetally/service';
import { reportResults, reportSeries } from './report-results.js';

@Controller()
export class ReportResultsConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.reportResults)
  results(query: ResourceQuery, context: AskContext) {
    return this.turns.run(context, () => this.database.report(query, reportResults));
  }

  @Handles(OPERATIONS.reportSeries)
  series(query: ResourceQuery, context: AskContext) {
    return this.turns.run(context, () =>
      this.database.report(query, (client, query) => reportSeries(client, query, Date.now())),
    );
  }
}
