// One line for each feature of the gateway: a folder with a module.
export { AdminModule } from './admin/admin.module.js';
export { AnalyticsModule } from './analytics/analytics.module.js';
export { BrowserSdkModule } from './browser-sdk/browser-sdk.module.js';
export { DescribeApiModule } from './describe-api/describe-api.module.js';
export { EventsModule } from './events/events.module.js';
export { IntakeModule } from './intake/intake.module.js';
export { ManagementModule } from './management/management.module.js';
export { MediaModule } from './media/media.module.js';
export { PartnerAttributionModule } from './partner-attribution/partner-attribution.module.js';
export { PartnerExperimentsModule } from './partner-experiments/partner-experiments.module.js';
export { PeopleModule } from './people/people.module.js';
export { PublisherModule } from './publisher/publisher.module.js';
export { RuntimeTokensModule } from './runtime-tokens/runtime-tokens.module.js';
export { StorefrontModule } from './storefront/storefront.module.js';
export { WorkflowsModule } from './workflows/workflows.module.js';
