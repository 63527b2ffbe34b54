import { Controller, Get, Inject, Res } from '@nestjs/common';
import { TOPICS } from '@truetally/contracts/topics';
import { isLongerThan } from '@truetally/contracts/validation';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery } from '../http/route-rules.js';
import { ResourceApi } from '../http/resource-api.js';
import { type Filters, idFilter, PAGE_PARAMETERS } from '../http/page-query.js';

const MAX_FILTER_CHARACTERS = 255;

const isText = (value: string): string | undefined =>
  value !== '' && !isLongerThan(value, MAX_FILTER_CHARACTERS) && !value.includes('\0')
    ? undefined
    : `must be a non-empty string of at most ${MAX_FILTER_CHARACTERS} characters`;
const FILTERS: Filters = {
  actor: isText,
  resource: isText,
  resource_id: idFilter,
};

@Controller('api/v1/audit-log')
export class AuditLogController {
  constructor(@Inject(ResourceApi) private readonly api: ResourceApi) {}

  @Get()
  @Credential('management-owner')
  @KnownQuery(...PAGE_PARAMETERS, ...Object.keys(FILTERS))
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { topic: TOPICS.listAuditLog.name }, FILTERS);
  }
}
