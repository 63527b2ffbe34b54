import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ExperimentResults, ResultsSeries } from '@truetally/contracts/experiments';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, AnswersFile } from '../http/route-rules.js';
import { ResultsReader, SERIES_QUERY } from './results-reader.js';

type Params = Record<string, string>;

@Controller('api/v1/partner-experiments/:experiment_id')
export class ResultsController {
  constructor(@Inject(ResultsReader) private readonly reader: ResultsReader) {}

  @Get('results')
  @Credential('management-reader')
  @Answers(ExperimentResults)
  results(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.reader.results(exchange, params);
  }

  @Get('results.csv')
  @Credential('management-reader')
  @AnswersFile('text/csv')
  csv(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.reader.csv(exchange, params);
  }

  @Get('results/series')
  @Credential('management-reader')
  @KnownQuery(SERIES_QUERY)
  @Answers(ResultsSeries)
  series(@Res() { exchange }: EdgeResponse, @Param() params: Params): Promise<void> {
    return this.reader.series(exchange, params);
  }
}
