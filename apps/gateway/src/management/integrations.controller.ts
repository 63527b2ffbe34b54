import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { INTEGRATION_FILTERS, IntegrationResource, IntegrationBody } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { IntegrationSealer } from './integration-sealer.js';
import { ResourceApi } from '../http/resource-api.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

type Ids = Record<string, string>;

@Controller('api/v1/integrations')
export class IntegrationsController {
  constructor(
    @Inject(ResourceApi) private readonly api: ResourceApi,
    @Inject(IntegrationSealer) private readonly sealer: IntegrationSealer,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(IntegrationBody)
  @Answers(IntegrationResource, 201)
  create(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.create(exchange, {
      topic: TOPICS.createIntegration.name,
      prepare: this.sealer.create,
    });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...INTEGRATION_FILTERS })
  @AnswersPageOf(IntegrationResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { topic: TOPICS.listIntegrations.name }, INTEGRATION_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(IntegrationResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.read(exchange, { topic: TOPICS.readIntegration.name, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(IntegrationBody)
  @Answers(IntegrationResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    const prepare = this.sealer.change(String(params['id']));
    return this.api.change(exchange, { topic: TOPICS.updateIntegration.name, params, prepare });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.delete(exchange, { topic: TOPICS.deleteIntegration.name, params });
  }
}
