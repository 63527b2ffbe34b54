import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { INTEGRATION_FILTERS, IntegrationResource, IntegrationBody } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
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
      to: OPERATIONS.createIntegration,
      prepare: this.sealer.create,
    });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...INTEGRATION_FILTERS })
  @AnswersPageOf(IntegrationResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listIntegrations }, INTEGRATION_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(IntegrationResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readIntegration, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(IntegrationBody)
  @Answers(IntegrationResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    const prepare = this.sealer.change(String(params['id']));
    return this.api.change(exchange, { to: OPERATIONS.updateIntegration, params, prepare });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Ids): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteIntegration, params });
  }
}
