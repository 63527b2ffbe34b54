import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { INTEGRATION_FILTERS, IntegrationResource, IntegrationBody } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { IntegrationSealer } from './integration-sealer.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/integrations')
export class IntegrationsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly sealer: IntegrationSealer,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(IntegrationBody)
  @Answers(IntegrationResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.api.create(exchange, {
      to: OPERATIONS.createIntegration,
      prepare: this.sealer.create,
    });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...INTEGRATION_FILTERS })
  @AnswersPageOf(IntegrationResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listIntegrations }, INTEGRATION_FILTERS);
  }

  @Get(':id')
  @Credential('management-reader')
  @Answers(IntegrationResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readIntegration, params });
  }

  @Patch(':id')
  @Credential('management-writer')
  @JsonBody(IntegrationBody)
  @Answers(IntegrationResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const prepare = this.sealer.change(String(params['id']));
    return this.api.change(exchange, { to: OPERATIONS.updateIntegration, params, prepare });
  }

  @Delete(':id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    return this.api.delete(exchange, { to: OPERATIONS.deleteIntegration, params });
  }
}
