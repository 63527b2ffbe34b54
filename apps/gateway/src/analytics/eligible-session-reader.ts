import { Injectable } from '@nestjs/common';
import { type AskEligibleSessions, ELIGIBLE_DAYS } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../ask/ask.js';
import { siteRefusal } from '../credentials/site-access.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter, textFilter } from '../http/page-query.js';
import { needed, QueryReader, wholeNumber } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';

export const ELIGIBLE_QUERY = {
  site_id: needed(idFilter),
  days: wholeNumber(ELIGIBLE_DAYS),
  experiment_id: idFilter,
  provider: textFilter,
  partner_id: textFilter,
};

const ONE_WAY = 'must not be given together with provider or partner_id';

/** Sessions by the day of their first touch that meets an experiment's eligibility, or a named one. */
@Injectable()
export class EligibleSessionReader {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly asker: Asker,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const reader = new QueryReader(exchange.query);
    const siteId = reader.required('site_id', ELIGIBLE_QUERY.site_id).toLowerCase();
    const length = Number(reader.optional('days', ELIGIBLE_QUERY.days) ?? ELIGIBLE_DAYS.usual);
    const experimentId = reader.optional('experiment_id', ELIGIBLE_QUERY.experiment_id)?.toLowerCase();
    const provider = reader.optional('provider', ELIGIBLE_QUERY.provider);
    const partnerId = reader.optional('partner_id', ELIGIBLE_QUERY.partner_id);
    const named: Eligibility = {
      providers: provider === undefined ? [] : [provider],
      partner_ids: partnerId === undefined ? [] : [partnerId],
    };
    const asked = reader.result(named);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    if (experimentId !== undefined && (provider ?? partnerId) !== undefined) {
      return refuse(exchange, 'broken-rules', { experiment_id: [ONE_WAY] });
    }
    const refusal = siteRefusal(caller, siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const eligibility =
      experimentId === undefined ? asked.value : await this.eligibilityOf(exchange, siteId, experimentId);
    if (eligibility === undefined) return;
    const question = { site_id: siteId, days: length, ...eligibility };
    await this.asker.answer(exchange, OPERATIONS.readEligibleSessions, question);
  }

  /** @returns undefined when the request was refused and answered */
  private async eligibilityOf(
    exchange: Exchange,
    siteId: string,
    experimentId: string,
  ): Promise<Eligibility | undefined> {
    const experiment = await this.asker.find(exchange, OPERATIONS.readExperiment, {
      workspace_id: exchange.callerWithLimit().workspaceId,
      actor: null,
      params: { experiment_id: experimentId },
      filters: {},
      limit: 1,
      cursor: null,
    });
    if (experiment === undefined) return undefined;
    if (experiment.site_id !== siteId) return void refuse(exchange, 'not-found');
    return experiment.eligibility;
  }
}

type Eligibility = Pick<AskEligibleSessions, 'partner_ids' | 'providers'>;
