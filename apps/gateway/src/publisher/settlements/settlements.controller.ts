import { Controller, Get, Post } from '@nestjs/common';
import { StartedJob } from '@truetally/contracts/jobs';
import { SettlementResource, SettlementState, SettlementUploadBody } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { UUID } from '@truetally/kernel';
import { Asker } from '../../ask/ask.js';
import type { Exchange, Params } from '../../http/exchange.js';
import { PAGE_PARAMETERS } from '../../http/page-query.js';
import { refuse } from '../../http/respond.js';
import { Credential, KnownQuery, Answers, AnswersPageOf, ReceivesBody } from '../../http/route-rules.js';
import { IntegrationReader } from './integration-reader.js';
import { SettlementUploader } from './settlement-uploader.js';

/** Settlements of a network (interface page, section 8). */
@Controller('api/v1/integrations/:id/settlements')
export class SettlementsController {
  constructor(
    private readonly uploader: SettlementUploader,
    private readonly integrations: IntegrationReader,
    private readonly asker: Asker,
  ) {}

  @Post()
  @Credential('management-writer')
  @ReceivesBody({ 'text/csv': { type: 'string' }, 'application/json': SettlementUploadBody })
  @Answers(StartedJob, 202)
  upload(exchange: Exchange, { id }: Params<'id'>): Promise<void> {
    return this.uploader.upload(exchange, id);
  }

  @Get()
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SettlementResource)
  async list(exchange: Exchange, { id }: Params<'id'>): Promise<void> {
    const page = await this.integrations.pageOf(exchange, id);
    if (page !== undefined) await this.asker.answer(exchange, OPERATIONS.listSettlements, page);
  }

  @Get(':settlement_id/history')
  @Credential('management-reader')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(SettlementState)
  async listStates(
    exchange: Exchange,
    { id, settlement_id: settlementId }: Params<'id' | 'settlement_id'>,
  ): Promise<void> {
    const page = await this.integrations.pageOf(exchange, id);
    if (page === undefined) return;
    const settlement_id = settlementId.toLowerCase();
    if (!UUID.test(settlement_id)) return refuse(exchange, 'not-found');
    await this.asker.answer(exchange, OPERATIONS.listSettlementStates, { ...page, settlement_id });
  }
}
