import { isJsonObject } from '@truetally/contracts/validation';
import type { AnyCaller } from '../credentials/caller.js';
import type { Exchange } from './exchange.js';
import { refuse } from './respond.js';
import type { Prepared } from './resource-api.js';

/**
 * For routes that take an API key too: it speaks for its own site and for no other (403). A body that names no site at
 * all goes on, so that the service says what is wrong with it.
 */
export function ofOwnSite(body: unknown, exchange: Exchange, caller: AnyCaller): Prepared {
  const siteId = isJsonObject(body) ? body['site_id'] : undefined;
  const isOfAnother =
    caller.kind === 'site' && typeof siteId === 'string' && siteId.toLowerCase() !== caller.siteId;
  if (!isOfAnother) return { body };
  refuse(exchange, 'site-forbidden');
  return { refused: true };
}
