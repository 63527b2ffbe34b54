import { Controller, Get } from '@nestjs/common';
import { type AskSealedRecords, SEALED_RECORDS, SealedRecord } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { FieldErrors, Result } from '@truetally/kernel';
import { Asker } from '../../ask/ask.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { pageParameters, QueryReader } from '../../http/query-reader.js';
import { AnswersPageOf, Credential, KnownQuery } from '../../http/route-rules.js';
import { identifierOf, sequenceParameter } from '../ledger-parameters.js';
import { readSitePageWith, SITE_PAGE_QUERY } from '../site-query.js';

const orderId = identifierOf(1);
const RECORDS_QUERY = {
  ...SITE_PAGE_QUERY,
  ...pageParameters(SEALED_RECORDS),
  order_id: orderId,
  from_sequence: sequenceParameter,
};

/** What was sealed, so that anybody can seal it again (interface page, section 6). */
@Controller('api/v1/partner-attribution/chain')
export class ListSealedRecordsController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  @Get('records')
  @Credential('attribution-reader')
  @KnownQuery(RECORDS_QUERY)
  @AnswersPageOf(SealedRecord)
  async list(exchange: Exchange): Promise<void> {
    const asked = readSitePageWith(exchange, this.sites, readRecordsQuery, SEALED_RECORDS);
    if (asked !== undefined) await this.asker.answer(exchange, OPERATIONS.listSealedRecords, asked);
  }
}

function readRecordsQuery(
  query: URLSearchParams | undefined,
): Result<Pick<AskSealedRecords, 'from_sequence' | 'order_id'>, FieldErrors> {
  const reader = new QueryReader(query);
  const order_id = reader.optional('order_id', orderId) ?? null;
  const from_sequence = reader.optional('from_sequence', sequenceParameter) ?? null;
  if (order_id !== null && from_sequence !== null) {
    for (const name of ['order_id', 'from_sequence']) {
      reader.refuse(name, 'only one of order_id, from_sequence may be given');
    }
  }
  return reader.result({ order_id, from_sequence });
}
