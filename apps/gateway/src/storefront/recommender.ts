import { hash } from 'node:crypto';
import type {
  RecommendationContent,
  RecommendedProduct,
  Recommendations,
} from '@truetally/contracts/management';
import {
  type Failure,
  fingerprintHex,
  type Result,
  succeed,
  uuidFromFingerprintHex,
} from '@truetally/kernel';
import type { CampaignDirectory, ShownCampaign } from '../campaigns/campaign-directory.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answerCacheable, refuse, refuseAs } from '../http/respond.js';
import type { KnownProducts } from './known-products.js';
import type { OfferedCatalogue } from './offered-catalogue.js';
import { readRecommendationQuery, type RecommendationQuestion } from './recommendation-query.js';
import type { WithheldCampaigns } from './withheld-campaigns.js';

/**
 * Answers a page with products that go with the one it shows (docs/decisions/recommendations.md). The campaign is in
 * memory; analytics is asked once, and management only for products that this gateway has not shown for seconds.
 */
export class Recommender {
  constructor(
    private readonly campaigns: CampaignDirectory,
    private readonly withheld: WithheldCampaigns,
    private readonly known: KnownProducts,
    private readonly catalogue: OfferedCatalogue,
    private readonly nowMs: () => number,
  ) {}

  async recommend(exchange: Exchange): Promise<void> {
    const { siteId } = exchange.callerOfSite();
    const read = readRecommendationQuery(exchange.query);
    if (!read.ok) return refuse(exchange, 'broken-rules', read.error);
    const { campaignId, visit } = read.value;
    const campaign = this.campaigns.selectOne(siteId, 'recommendation', campaignId, visit, this.nowMs());
    if (campaign === undefined) return answerWith(exchange, nothing(campaignId));
    const isInExperiment = this.withheld.inExperiment(siteId).has(campaignId);
    if (isInExperiment) {
      const visitor = { siteId, sessionId: visit.sessionId };
      const withheld = await this.withheld.from(exchange, visitor, [campaignId]);
      if (withheld.has(campaignId)) return answerWith(exchange, nothing(campaignId));
    }
    const content = contentOf(campaign);
    const items = await this.itemsFor(exchange, siteId, content, read.value);
    if (!items.ok) return refuseAs(exchange, refusalOf(items.error), items.error.details);
    if (items.value.length === 0) return answerWith(exchange, nothing(campaignId));
    const { placement } = content;
    const recommended = recommendationOf(campaignId, placement, items.value);
    answerWith(exchange, isInExperiment ? { ...recommended, in_experiment: true } : recommended);
  }

  private async itemsFor(
    exchange: Exchange,
    siteId: string,
    { strategy, count }: RecommendationContent,
    { productId, limit = count, visit }: RecommendationQuestion,
  ): Promise<Result<readonly RecommendedProduct[], Failure>> {
    const known = await this.known.find(exchange, {
      site_id: siteId,
      session_id: visit.sessionId ?? null,
      product_id: productId ?? null,
      strategy,
    });
    if (!known.ok) return known;
    const { related, all } = known.value;
    const most = Math.min(limit, count);
    const items: RecommendedProduct[] = [];
    // Usually the first part is enough; the rest is asked for where many cannot be bought.
    const first = most + Math.ceil(most / 2);
    for (const part of [all.slice(0, first), all.slice(first)]) {
      if (items.length >= most || part.length === 0) break;
      const offered = await this.catalogue.find(exchange, siteId, part);
      if (!offered.ok) return offered;
      for (const product of offered.value) {
        const source = related.has(product.product_id) ? strategy : 'popular';
        if (items.length < most) items.push({ ...product, source });
      }
    }
    return succeed(items);
  }
}

/** The item is the text that overlays are answered with. */
function contentOf({ item }: ShownCampaign): RecommendationContent {
  const { content } = JSON.parse(item.toString()) as { readonly content: RecommendationContent };
  return content;
}

/** Who gets none is not told why: a control arm must not be recognised. */
function nothing(campaignId: string): Recommendations {
  return { campaign_id: campaignId, recommendation_id: null, placement: null, items: [] };
}

function recommendationOf(
  campaignId: string,
  placement: string,
  items: readonly RecommendedProduct[],
): Recommendations {
  const ids = items.map(({ product_id }) => product_id);
  const recommendationId = uuidFromFingerprintHex(fingerprintHex(['recommendation', campaignId, ...ids]));
  return { campaign_id: campaignId, recommendation_id: recommendationId, placement, items };
}

function answerWith(exchange: Exchange, recommendations: Recommendations): void {
  const data = JSON.stringify(recommendations);
  answerCacheable(exchange, `"${hash('sha256', data, 'base64url')}"`, () => data);
}
