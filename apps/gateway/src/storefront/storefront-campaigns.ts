import { hash } from 'node:crypto';
import type { CampaignType } from '@truetally/contracts/facts';
import type { Exchange } from '../http/exchange.js';
import { answerCacheable, refuse } from '../http/respond.js';
import type { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { readVisit } from './visit-query.js';

/** Answers a page with the campaigns that it shows now, from memory (docs/decisions/campaigns.md). */
export class StorefrontCampaigns {
  constructor(
    private readonly campaigns: CampaignDirectory,
    private readonly nowMs: () => number,
  ) {}

  list(exchange: Exchange, type: CampaignType): void {
    const caller = exchange.callerOfSite();
    const visit = readVisit(exchange.query);
    if (!visit.ok) return refuse(exchange, 'broken-rules', visit.error);
    const shown = this.campaigns.select(caller.siteId, type, visit.value, this.nowMs());
    // Of the items' digests: as strong as one of their texts, and much shorter.
    const tag = hash('sha256', shown.map(({ digest }) => digest).join(), 'base64url');
    answerCacheable(exchange, `"${tag}"`, () => `{"items":[${shown.map(({ item }) => item).join()}]}`);
  }
}
