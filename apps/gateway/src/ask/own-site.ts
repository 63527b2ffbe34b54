import { isJsonObject } from '@truetally/contracts/validation';
import type { AnyCaller } from '../credentials/caller.js';
import type { Exchange } from '../http/exchange.js';
import { refuse } from '../http/respond.js';
import type { Prepared } from './resource.js';

/**
 * For routes that also accept an API key: it acts only for its own site (403 otherwise). A body without a
 * site passes, so that the service reports what is wrong.
 */
export function ofOwnSite(body: unknown, exchange: Exchange, caller: AnyCaller): Prepared {
  const siteId = isJsonObject(body) ? body['site_id'] : undefined;
  const isOfAnother =
    caller.kind === 'site' && typeof siteId === 'string' && siteId.toLowerCase() !== caller.siteId;
  if (!isOfAnother) return { body };
  refuse(exchange, 'site-forbidden');
  return { refused: true };
}
