import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { StartedJob } from '@truetally/contracts/jobs';
import { SettlementResource, SettlementState, SettlementUploadBody } from '@truetally/contracts/publisher';
import type { EdgeResponse } from '../../http/exchange.js';
import { PAGE_PARAMETERS } from '../../http/page-query.js';
import { Credential, KnownQuery, Answers, AnswersPageOf, ReceivesBody } from '../../http/route-rules.js';
import { SettlementLister } from './settlement-lister.js';
import { SettlementUploader } from './settlement-uploader.js';

/** Settlements of a network (interface page, section 8). */
@Controller('api/v1/integrations/:id/settlements')
export class SettlementsController {
  constructor(
    @Inject(SettlementUploader) private readonly uploader: SettlementUploader,
    @Inject(SettlementLister) private readonly lister: SettlementLister,
  ) {}

  @Post()
  @Credential('management-writer')
  @ReceivesBody({ 'text/csv': { type: 'string' }, 'application/json': SettlementUploadBody })
  @Answers(StartedJob, 202)
  upload(@Res() { exchange }: EdgeResponse, @Param('id') id: string): Promise<void> {
    return this.uploader.upload(exchange, id);
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SettlementResource)
  list(@Res() { exchange }: EdgeResponse, @Param('id') id: string): Promise<void> {
    return this.lister.list(exchange, id);
  }

  @Get(':settlement_id/history')
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SettlementState)
  listStates(
    @Res() { exchange }: EdgeResponse,
    @Param('id') id: string,
    @Param('settlement_id') settlementId: string,
  ): Promise<void> {
    return this.lister.listStates(exchange, id, settlementId);
  }
}
