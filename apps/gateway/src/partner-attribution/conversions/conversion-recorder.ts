import {
  fingerprintOf,
  readConversion,
  type RecordConversion,
  websiteIdsOf,
} from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Asker } from '../../ask/ask.js';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse } from '../../http/respond.js';

/**
 * One conversion of a trusted backend: admitted, validated on its own, then by the ledger (interface page,
 * section 6). A refusal here never reaches Kafka, and so never uses up its idempotency key.
 */
export class ConversionRecorder {
  constructor(
    private readonly asker: Asker,
    private readonly sites: Pick<SiteDirectory, 'active'>,
  ) {}

  async record(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const body = exchange.takeBody();
    const isOfAnother = websiteIdsOf(body).some((websiteId) => websiteId !== siteId);
    if (isOfAnother) return refuse(exchange, 'site-forbidden');
    const read = readConversion(body, Date.now());
    if (!read.ok) return refuse(exchange, 'broken-rules', read.error);
    const command = read.value;
    const accepted = await this.asker.find(exchange, OPERATIONS.recordConversion, {
      siteId,
      requestId: exchange.requestId,
      settings: this.settingsOf(siteId),
      fingerprint: fingerprintOf(command),
      command,
    });
    if (accepted !== undefined) answer(exchange, accepted.deduplicated ? 200 : 201, JSON.stringify(accepted));
  }

  /** So that a purchase right after a change of its site uses the new settings. */
  private settingsOf(siteId: string): RecordConversion['settings'] {
    const site = this.sites.active(siteId);
    if (site === undefined) return null;
    const { attribution_model: model, lookback_days: lookbackDays } = site.partner;
    return { model, lookbackDays, incarnation: site.incarnation, version: site.version };
  }
}
