import type { Failure, FieldErrors, Result } from '@truetally/kernel';
import type { SiteDirectory } from '../credentials/site-directory.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse, refuseAs } from '../http/respond.js';
import { siteRefusal } from '../credentials/site-access.js';
import { readSitePage, type SitePage, type SiteQuery } from './site-query.js';

/** The service's answer is the client's. */
type Ask<Query> = (asked: Query) => Promise<Result<object, Failure>>;

/** The path of every read of one site's data: admission, query, ownership of the site, ask, answer. */
export class SiteReads {
  constructor(private readonly sites: SiteDirectory) {}

  /** A page of a list (interface page, section 1). */
  list(exchange: Exchange, ask: Ask<SitePage>): Promise<void> {
    return this.read(exchange, readSitePage, ask);
  }

  async read<Query extends SiteQuery>(
    exchange: Exchange,
    readQuery: (query: URLSearchParams | undefined) => Result<Query, FieldErrors>,
    ask: Ask<Query>,
  ): Promise<void> {
    const caller = exchange.callerWithLimit();
    const asked = readQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const refusal = siteRefusal(caller, asked.value.siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const found = await ask(asked.value);
    if (!found.ok) return refuseAs(exchange, refusalOf(found.error), found.error.details);
    answer(exchange, 200, JSON.stringify(found.value));
  }
}
