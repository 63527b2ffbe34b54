import { Controller, Get, Post } from '@nestjs/common';
import { SUBMISSION_FILTERS, SubmissionBody, SubmissionResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { needed } from '../http/query-reader.js';
import { ResourceApi } from '../ask/resource.js';
import {
  Answers,
  AnswersFile,
  AnswersPageOf,
  Credential,
  JsonBody,
  KnownQuery,
  Refuses,
} from '../http/route-rules.js';
import { PeopleTables } from './people-tables.js';
import { SubmissionReceiver } from './submission-receiver.js';

const EXPORT_QUERY = { ...SUBMISSION_FILTERS, site_id: needed(SUBMISSION_FILTERS.site_id) };

@Controller('api/v1')
export class SubmissionsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly receiver: SubmissionReceiver,
    private readonly tables: PeopleTables,
  ) {}

  @Post('submissions')
  @Credential('storefront-reader')
  @JsonBody(SubmissionBody)
  @Answers(SubmissionResource, 201)
  @Refuses(404, 409)
  create(exchange: Exchange): Promise<void> {
    return this.receiver.receive(exchange);
  }

  @Get('submissions')
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...SUBMISSION_FILTERS })
  @AnswersPageOf(SubmissionResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listSubmissions }, SUBMISSION_FILTERS);
  }

  @Get('submissions.csv')
  @Credential('management-reader')
  @KnownQuery(EXPORT_QUERY)
  @AnswersFile('text/csv')
  export(exchange: Exchange): Promise<void> {
    return this.tables.submissions(exchange, EXPORT_QUERY);
  }

  @Get('submissions/:id')
  @Credential('management-reader')
  @Answers(SubmissionResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readSubmission, params });
  }
}
