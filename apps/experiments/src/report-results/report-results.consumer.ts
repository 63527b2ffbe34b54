import type { ResourceDatabase } from '@truetally/resource';
import type { Answers, ReadTurns } from '@truetally/service';
import { reportResults, reportSeries } from './report-results.js';

export const reportsAnswers = (database: ResourceDatabase, turns: ReadTurns) =>
  ({
    reportResults: turns.taken((query) => database.report(query, reportResults)),
    reportSeries: turns.taken((asked) =>
      database.report(asked, (client, query) => reportSeries(client, query, Date.now())),
    ),
  }) satisfies Answers;
