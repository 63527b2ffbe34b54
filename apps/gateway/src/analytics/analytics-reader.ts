import { Injectable } from '@nestjs/common';
import type { AskReport } from '@truetally/contracts/analytics';
import type { Operation } from '@truetally/contracts/topics';
import type { FieldErrors, Result } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import { siteRefusal } from '../credentials/site-access.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';

/** Asks the service that makes reports, for a member of the site's workspace or a key of the site. */
@Injectable()
export class AnalyticsReader {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly asker: Asker,
  ) {}

  async read<Query extends Pick<AskReport, 'site_id'>>(
    exchange: Exchange,
    operation: Operation<Query, object>,
    readQuery: (query: URLSearchParams | undefined) => Result<Query, FieldErrors>,
  ): Promise<void> {
    const caller = exchange.callerWithLimit();
    const asked = readQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const refusal = siteRefusal(caller, asked.value.site_id, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    await this.asker.answer(exchange, operation, asked.value);
  }
}
