import { type PublisherReport, referenceMatchFields } from '@truetally/contracts/publisher';
import { isLongerThan } from '@truetally/contracts/validation';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { KeyringFile } from '@truetally/keyring';
import { answerData, type Asker } from '../../ask/ask.js';
import type { Caller } from '../../credentials/caller.js';
import type { Site, SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { idFilter } from '../../http/page-query.js';
import { needed, parameter, QueryReader } from '../../http/query-reader.js';
import { answerCsv, refuse } from '../../http/respond.js';
import { reportCsv } from './report-csv.js';
import { readReportQuery } from './report-query.js';

const MAX_REFERENCE_CHARACTERS = 1_024;

export const CLICK_QUERY = {
  reference: needed(
    parameter({ type: 'string', minLength: 1, maxLength: MAX_REFERENCE_CHARACTERS }, (value) =>
      value === '' || isLongerThan(value, MAX_REFERENCE_CHARACTERS) ? 'must be a click reference' : undefined,
    ),
  ),
  site_id: idFilter,
};

/** The publisher's report: for owners, and for sites in active publisher mode (interface page, section 8). */
export class ReportReader {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
    private readonly asker: Asker,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    const report = await this.ask(exchange);
    if (report !== undefined) await answerData(exchange, report);
  }

  async readCsv(exchange: Exchange): Promise<void> {
    const report = await this.ask(exchange);
    if (report !== undefined) answerCsv(exchange, reportCsv(report));
  }

  /** Finds the click of a reference by its keyed hash, so that the reference itself is not sent. */
  async findClick(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const reader = new QueryReader(exchange.query);
    const reference = reader.required('reference', CLICK_QUERY.reference);
    const siteId = reader.optional('site_id', CLICK_QUERY.site_id)?.toLowerCase();
    const asked = reader.result(reference);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const sites = this.sitesOf(exchange, caller, siteId);
    if (sites === undefined) return;
    const { keyring } = this.keys;
    await this.asker.answer(exchange, OPERATIONS.findClick, {
      sites: sites.map((site) => ({
        site_id: site.siteId,
        hash: keyring.match(referenceMatchFields(site.siteId, reference)),
      })),
    });
  }

  /** @returns undefined when the request was refused and answered */
  private async ask(exchange: Exchange): Promise<PublisherReport | undefined> {
    const caller = exchange.callerWithLimit();
    const query = readReportQuery(exchange.query);
    if (!query.ok) {
      refuse(exchange, 'broken-rules', query.error);
      return undefined;
    }
    if (this.sitesOf(exchange, caller, query.value.site_id) === undefined) return undefined;
    return this.asker.find(exchange, OPERATIONS.readPublisherReport, query.value);
  }

  /**
   * The workspace's sites in active publisher mode, or the requested one.
   * @returns undefined when the request was refused and answered
   */
  private sitesOf(
    exchange: Exchange,
    caller: Caller,
    siteId: string | undefined,
  ): readonly Site[] | undefined {
    const own = this.sites.ofWorkspace(caller.workspaceId);
    const asked = siteId === undefined ? own : own.filter((site) => site.siteId === siteId);
    if (siteId !== undefined && asked.length === 0) return refused(exchange, 'site-unknown');
    const active = asked.filter(({ publisherMode }) => publisherMode === 'active');
    return active.length === 0 ? refused(exchange, 'publisher-mode-off') : active;
  }
}

function refused(exchange: Exchange, name: 'publisher-mode-off' | 'site-unknown'): undefined {
  refuse(exchange, name);
  return undefined;
}
