import { Controller, Get } from '@nestjs/common';
import { ReconciledHour } from '@truetally/contracts/operations';
import { OPERATIONS } from '@truetally/contracts/topics';
import { parseInstant } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { parameter, QueryReader } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';
import { Credential, KnownQuery, AnswersPageOf } from '../http/route-rules.js';

const instant = parameter({ type: 'string', format: 'date-time' }, (value) =>
  parseInstant(value) === undefined ? 'must be an ISO 8601 time with an offset' : undefined,
);

@Controller('api/admin')
export class ReadReconciliationController {
  constructor(private readonly asker: Asker) {}

  /** Ingestion compares its counters with its table (interface page, sections 4 and 11). */
  @Get('reconciliation')
  @Credential('admin')
  @KnownQuery({ site_id: idFilter, from: instant, to: instant, ...PAGE_PARAMETERS })
  @AnswersPageOf(ReconciledHour)
  async read(exchange: Exchange): Promise<void> {
    const reader = new QueryReader(exchange.query);
    const query = reader.result({
      site_id: reader.optional('site_id', idFilter)?.toLowerCase() ?? null,
      from: reader.optional('from', instant) ?? null,
      to: reader.optional('to', instant) ?? null,
      ...reader.page(),
    });
    if (!query.ok) return refuse(exchange, 'broken-rules', query.error);
    await this.asker.answer(exchange, OPERATIONS.reconcileEvents, query.value);
  }
}
