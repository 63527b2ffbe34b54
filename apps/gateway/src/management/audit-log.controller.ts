import { Controller, Get } from '@nestjs/common';
import { AuditEntryResource } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange } from '../http/exchange.js';
import { AnswersPageOf, Credential, KnownQuery } from '../http/route-rules.js';
import { ResourceApi } from '../ask/resource.js';
import { type Filters, idFilter, PAGE_PARAMETERS, textFilter } from '../http/page-query.js';

const FILTERS: Filters = {
  actor: textFilter,
  resource: textFilter,
  resource_id: idFilter,
};

@Controller('api/v1/audit-log')
export class AuditLogController {
  constructor(private readonly api: ResourceApi) {}

  @Get()
  @Credential('management-owner')
  @KnownQuery({ ...PAGE_PARAMETERS, ...FILTERS })
  @AnswersPageOf(AuditEntryResource)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listAuditLog }, FILTERS);
  }
}
