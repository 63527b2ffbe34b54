import { Injectable } from '@nestjs/common';
import { PROFILE_FILTERS } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange } from '../http/exchange.js';
import { type Filters, readPageQuery } from '../http/page-query.js';
import { refuse } from '../http/respond.js';
import { ResourceApi } from '../ask/resource.js';

/** One profile by the shop's id of the person, which is any text, and its erasure. */
@Injectable()
export class ProfileOfPerson {
  constructor(private readonly api: ResourceApi) {}

  async read(exchange: Exchange, userId: string, query: Filters): Promise<void> {
    const siteId = siteIn(exchange, userId, query);
    if (siteId === undefined) return;
    const filters = { site_id: siteId, user_id: userId };
    return this.api.read(exchange, { to: OPERATIONS.readProfile, filters });
  }

  /** The service's reply does not name the person, because replies are kept: the answer does. */
  async erase(exchange: Exchange, userId: string, query: Filters): Promise<void> {
    const siteId = siteIn(exchange, userId, query);
    if (siteId === undefined) return;
    return this.api.delete(exchange, {
      to: OPERATIONS.eraseProfile,
      prepare: () => ({ body: { site_id: siteId, user_id: userId } }),
      present: (erased) => ({ id: userId, ...erased }),
    });
  }
}

/** Undefined after a refusal. */
function siteIn(exchange: Exchange, userId: string, query: Filters): string | undefined {
  const asked = readPageQuery(exchange.query, query);
  if (!asked.ok) return void refuse(exchange, 'broken-rules', asked.error);
  if (PROFILE_FILTERS.user_id(userId) !== undefined) return void refuse(exchange, 'not-found');
  return asked.value.filters['site_id']?.toLowerCase();
}
