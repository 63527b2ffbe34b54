import type { Type } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { EventsModule } from './events/events.module.js';
import { ManagementModule } from './management/management.module.js';
import { MediaModule } from './media/media.module.js';
import { PartnerAttributionModule } from './partner-attribution/partner-attribution.module.js';
import { PartnerExperimentsModule } from './partner-experiments/partner-experiments.module.js';
import { RuntimeTokensModule } from './runtime-tokens/runtime-tokens.module.js';
import { StorefrontModule } from './storefront/storefront.module.js';

/**
 * Every feature of the gateway: a folder with a module, and a line here. The hot ones are first, because Express tries
 * routes in the order in which they are declared.
 */
export const FEATURES: readonly Type[] = [
  EventsModule,
  PartnerAttributionModule,
  PartnerExperimentsModule,
  RuntimeTokensModule,
  StorefrontModule,
  ManagementModule,
  MediaModule,
  AdminModule,
];
