import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { SiteResource, SiteBody } from '@truetally/contracts/management';
import { ErasedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/sites')
export class SitesController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(SiteBody)
  @Answers(SiteResource, 201)
  create(exchange: Exchange): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createSite, isKnown: this.known.site });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SiteResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listSites });
  }

  @Get(':site_id')
  @Credential('management-reader')
  @Answers(SiteResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readSite, params });
  }

  @Patch(':site_id')
  @Credential('management-writer')
  @JsonBody(SiteBody)
  @Answers(SiteResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.site;
    return this.api.change(exchange, { to: OPERATIONS.updateSite, params, isKnown });
  }

  @Delete(':site_id')
  @Credential('management-writer')
  @Answers(ErasedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.siteGone;
    return this.api.delete(exchange, { to: OPERATIONS.deleteSite, params, isKnown });
  }
}
