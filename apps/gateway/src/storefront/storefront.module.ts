import { Module } from '@nestjs/common';
import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import { provide } from '../core/provide.js';
import { ListChatbotsController } from './list-chatbots.controller.js';
import { ListOverlaysController } from './list-overlays.controller.js';
import { StorefrontCampaigns } from './storefront-campaigns.js';

/** What storefront pages are shown (interface page, section 9). */
@Module({
  controllers: [ListOverlaysController, ListChatbotsController],
  providers: [
    provide(
      StorefrontCampaigns,
      [CampaignDirectory],
      (campaigns) => new StorefrontCampaigns(campaigns, Date.now),
    ),
  ],
})
export class StorefrontModule {}
