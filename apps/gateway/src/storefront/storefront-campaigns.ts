import { hash } from 'node:crypto';
import type { CampaignType } from '@truetally/contracts/facts';
import type { Exchange } from '../http/exchange.js';
import { answerCacheable, refuse } from '../http/respond.js';
import type { CampaignDirectory, ShownCampaign } from '../campaigns/campaign-directory.js';
import { readVisit } from './visit-query.js';
import type { WithheldCampaigns } from './withheld-campaigns.js';

/**
 * Answers a page with its current campaigns, from memory (docs/decisions/campaigns.md). Only if one of them
 * belongs to a running experiment, a service is asked what the session's arm withholds.
 */
export class StorefrontCampaigns {
  constructor(
    private readonly campaigns: CampaignDirectory,
    private readonly withheld: WithheldCampaigns,
    private readonly nowMs: () => number,
  ) {}

  /** Does not wait if no experiment runs. */
  list(exchange: Exchange, type: CampaignType): Promise<void> | void {
    const { siteId } = exchange.callerOfSite();
    const visit = readVisit(exchange.query);
    if (!visit.ok) return refuse(exchange, 'broken-rules', visit.error);
    const selected = this.campaigns.select(siteId, type, visit.value, this.nowMs());
    const inExperiment = this.withheld.inExperiment(siteId);
    if (inExperiment.size === 0) return answerWith(exchange, selected);
    const visitor = { siteId, sessionId: visit.value.sessionId };
    return this.whatIsGiven(exchange, selected, inExperiment, visitor).then((shown) => {
      answerWith(exchange, shown);
    });
  }

  /** Without what the session's arm withholds; campaigns of a running experiment are marked. */
  private async whatIsGiven(
    exchange: Exchange,
    selected: readonly ShownCampaign[],
    inExperiment: ReadonlySet<string>,
    visitor: { readonly siteId: string; readonly sessionId: string | undefined },
  ): Promise<readonly ShownItem[]> {
    const candidates = selected.map(({ campaignId }) => campaignId).filter((id) => inExperiment.has(id));
    const withheld = await this.withheld.from(exchange, visitor, candidates);
    return selected
      .filter(({ campaignId }) => !withheld.has(campaignId))
      .map((campaign) => (inExperiment.has(campaign.campaignId) ? markedAsMeasured(campaign) : campaign));
  }
}

/** An item, as UTF-8 or, when it was changed for this answer, as text. */
type ShownItem = Pick<ShownCampaign, 'digest'> & { readonly item: Buffer | string };

function answerWith(exchange: Exchange, shown: readonly ShownItem[]): void {
  // Of the items' digests: as strong as one of their texts, and much shorter.
  const tag = hash('sha256', shown.map(({ digest }) => digest).join(), 'base64url');
  answerCacheable(
    exchange,
    `"${tag}"`,
    () => `{"items":[${shown.map(({ item }) => item.toString()).join()}]}`,
  );
}

/** The item is the text of a JSON object. */
function markedAsMeasured({ item, digest }: ShownCampaign): ShownItem {
  return { item: `${item.toString().slice(0, -1)},"in_experiment":true}`, digest: `${digest}*` };
}
