import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { CAMPAIGN_STATUSES, CAMPAIGN_TYPES } from '@truetally/contracts/facts';
import { CampaignResource, CampaignBody } from '@truetally/contracts/management';
import { DeletedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../ask/resource.js';
import { idFilter, oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';

const FILTERS = {
  site_id: idFilter,
  type: oneOfFilter(CAMPAIGN_TYPES),
  status: oneOfFilter(CAMPAIGN_STATUSES),
};

@Controller('api/v1/campaigns')
export class CampaignsController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(CampaignBody)
  @Answers(CampaignResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createCampaign, isKnown: this.known.campaign });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(CampaignResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listCampaigns }, FILTERS);
  }

  @Get(':campaign_id')
  @Credential('management-reader')
  @Answers(CampaignResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readCampaign, params });
  }

  @Patch(':campaign_id')
  @Credential('management-writer')
  @JsonBody(CampaignBody)
  @Answers(CampaignResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.campaign;
    return this.api.change(exchange, { to: OPERATIONS.updateCampaign, params, isKnown });
  }

  @Delete(':campaign_id')
  @Credential('management-writer')
  @Answers(DeletedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.campaignGone;
    return this.api.delete(exchange, { to: OPERATIONS.deleteCampaign, params, isKnown });
  }
}
