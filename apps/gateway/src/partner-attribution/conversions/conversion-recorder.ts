import { readConversion, websiteIdsOf } from '@truetally/contracts/attribution';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { ConversionSite, OrderLedgerClient } from '../order-ledger-client.js';

/**
 * One conversion of a trusted backend: admitted, validated on its own, then by the ledger (interface page,
 * section 6). A refusal here never reaches Kafka, and so never uses up its idempotency key.
 */
export class ConversionRecorder {
  constructor(
    private readonly client: OrderLedgerClient,
    private readonly sites: Pick<SiteDirectory, 'active'>,
  ) {}

  async record(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const body = exchange.takeBody();
    const isOfAnother = websiteIdsOf(body).some((websiteId) => websiteId !== siteId);
    if (isOfAnother) return refuse(exchange, 'site-forbidden');
    const read = readConversion(body, Date.now());
    if (!read.ok) return refuse(exchange, 'broken-rules', read.error);
    const settings = this.settingsOf(siteId);
    const accepted = await this.client.record(exchange, { siteId, settings }, read.value);
    if (!accepted.ok) return refuseAs(exchange, refusalOf(accepted.error), accepted.error.details);
    answer(exchange, accepted.value.deduplicated ? 200 : 201, JSON.stringify(accepted.value));
  }

  /** So that a purchase right after a change of its site uses the new settings. */
  private settingsOf(siteId: string): ConversionSite['settings'] {
    const site = this.sites.active(siteId);
    if (site === undefined) return null;
    const { attribution_model: model, lookback_days: lookbackDays } = site.partner;
    return { model, lookbackDays, incarnation: site.incarnation, version: site.version };
  }
}
