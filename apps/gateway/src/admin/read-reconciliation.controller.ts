import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery } from '../http/route-rules.js';
import { RECONCILIATION_QUERY, ReconciliationReader } from './reconciliation-reader.js';

@Controller('api/admin')
export class ReadReconciliationController {
  constructor(@Inject(ReconciliationReader) private readonly reconciliation: ReconciliationReader) {}

  @Get('reconciliation')
  @Credential('admin')
  @KnownQuery(...RECONCILIATION_QUERY)
  read(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reconciliation.read(exchange);
  }
}
