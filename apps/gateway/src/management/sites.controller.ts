import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { SiteResource, SiteBody } from '@truetally/contracts/management';
import { ErasedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../http/resource-api.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/sites')
export class SitesController {
  constructor(
    @Inject(ResourceApi) private readonly api: ResourceApi,
    @Inject(KnownChanges) private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('management-writer')
  @JsonBody(SiteBody)
  @Answers(SiteResource, 201)
  create(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.create(exchange, { to: OPERATIONS.createSite, isKnown: this.known.site });
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SiteResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listSites });
  }

  @Get(':site_id')
  @Credential('management-reader')
  @Answers(SiteResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readSite, params });
  }

  @Patch(':site_id')
  @Credential('management-writer')
  @JsonBody(SiteBody)
  @Answers(SiteResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const isKnown = this.known.site;
    return this.api.change(exchange, { to: OPERATIONS.updateSite, params, isKnown });
  }

  @Delete(':site_id')
  @Credential('management-writer')
  @Answers(ErasedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const isKnown = this.known.siteGone;
    return this.api.delete(exchange, { to: OPERATIONS.deleteSite, params, isKnown });
  }
}
