import { Module } from '@nestjs/common';
import { Asker } from '../ask/ask.js';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { ExperimentDirectory } from '../campaigns/experiment-directory.js';
import { provide } from '../core/provide.js';
import { ListChatbotsController } from './list-chatbots.controller.js';
import { ListOverlaysController } from './list-overlays.controller.js';
import { KnownProducts } from './known-products.js';
import { OfferedCatalogue } from './offered-catalogue.js';
import { ReadRecommendationsController } from './read-recommendations.controller.js';
import { Recommender } from './recommender.js';
import { StorefrontCampaigns } from './storefront-campaigns.js';
import { WithheldCampaigns } from './withheld-campaigns.js';

/** What is shown grows old also where the machine's clock is set back. */
const monotonicMs = (): number => performance.now();

/** What storefront pages are shown (interface page, section 9). */
@Module({
  controllers: [ListOverlaysController, ListChatbotsController, ReadRecommendationsController],
  providers: [
    provide(WithheldCampaigns, [ExperimentDirectory, Asker], (...parts) => new WithheldCampaigns(...parts)),
    provide(
      StorefrontCampaigns,
      [CampaignDirectory, WithheldCampaigns],
      (campaigns, withheld) => new StorefrontCampaigns(campaigns, withheld, Date.now),
    ),
    provide(OfferedCatalogue, [Asker], (asker) => new OfferedCatalogue(asker, monotonicMs)),
    provide(KnownProducts, [Asker], (asker) => new KnownProducts(asker, monotonicMs)),
    provide(
      Recommender,
      [CampaignDirectory, WithheldCampaigns, KnownProducts, OfferedCatalogue],
      (...parts) => new Recommender(...parts, Date.now),
    ),
  ],
})
export class StorefrontModule {}
