import { Controller, Get } from '@nestjs/common';
import { ExperimentResults, ResultsSeries } from '@truetally/contracts/experiments';
import type { Exchange, Params } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersFile } from '../http/route-rules.js';
import { ResultsReader, SERIES_QUERY } from './results-reader.js';

@Controller('api/v1/partner-experiments/:experiment_id')
export class ResultsController {
  constructor(private readonly reader: ResultsReader) {}

  @Get('results')
  @Credential('management-reader')
  @Answers(ExperimentResults)
  results(exchange: Exchange, params: Params): Promise<void> {
    return this.reader.results(exchange, params);
  }

  @Get('results.csv')
  @Credential('management-reader')
  @AnswersFile('text/csv')
  csv(exchange: Exchange, params: Params): Promise<void> {
    return this.reader.csv(exchange, params);
  }

  @Get('results/series')
  @Credential('management-reader')
  @KnownQuery(SERIES_QUERY)
  @Answers(ResultsSeries)
  series(exchange: Exchange, params: Params): Promise<void> {
    return this.reader.series(exchange, params);
  }
}
