import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ReconciledHour } from '@truetally/contracts/operations';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery, AnswersPageOf } from '../http/route-rules.js';
import { RECONCILIATION_QUERY, ReconciliationReader } from './reconciliation-reader.js';

@Controller('api/admin')
export class ReadReconciliationController {
  constructor(@Inject(ReconciliationReader) private readonly reconciliation: ReconciliationReader) {}

  @Get('reconciliation')
  @Credential('admin')
  @KnownQuery(RECONCILIATION_QUERY)
  @AnswersPageOf(ReconciledHour)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reconciliation.read(exchange);
  }
}
