export {
  ApiKeyBody,
  type ApiKeyFields,
  ApiKeyResource,
  NewApiKeyResource,
  type MintedBody,
  readApiKey,
  MINTED_BODY,
  readRotation,
  RotateApiKeyBody,
} from './api-key.js';
export { AuditEntryResource } from './audit-entry.js';
export { DEAD_LETTER_STATES, DeadLetterResource, type DeadLetterState } from './dead-letter.js';
export { normaliseEmail } from './email.js';
export { KeyUse, MAX_KEY_USES, RecordKeyUse } from './key-use.js';
export {
  CampaignBody,
  type CampaignFields,
  CampaignResource,
  type CampaignSchedule,
  type CampaignTargeting,
  readCampaign,
} from './campaign.js';
export {
  type CampaignContent,
  ChatbotContent,
  OverlayContent,
  RECOMMENDATION_COUNT,
  RECOMMENDATION_STRATEGIES,
  RecommendationContent,
  type RecommendationStrategy,
} from './campaign-content.js';
export {
  BeginFeedRun,
  FeedAccess,
  type FeedRow,
  FeedRun,
  MAX_FEED_ROWS,
  MAX_VALIDATOR,
  PRODUCTS_SYNC,
  READ_FEED,
  readFeedRows,
  StoredFeedRows,
  StoreFeedRows,
} from './feed-messages.js';
export {
  type CredentialsForm,
  type FeedCredentials,
  formOfCredentials,
  IntegrationBody,
  integrationFaults,
  INTEGRATION_FILTERS,
  INTEGRATION_PROVIDERS,
  type IntegrationCredentials,
  type IntegrationFields,
  type IntegrationProvider,
  IntegrationResource,
  type IntegrationStatus,
  NETWORK_PROVIDERS,
  type NetworkCredentials,
  type NetworkProvider,
  PRODUCT_FEED,
  readIntegration,
  readIntegrationPatch,
} from './integration.js';
export {
  credentialMatchFields,
  type IntegrationPatch,
  integrationSealContext,
  type NewIntegration,
  INTEGRATION_CHANGE,
  NEW_INTEGRATION,
  type SealedCredentials,
} from './integration-messages.js';
export { CURRENCY_FORM, currencyOf, timeZoneOf } from './locale.js';
export {
  CreateMediaBody,
  INCOMING_FOLDER,
  MEDIA_FIELD,
  MEDIA_FILE_LIMIT_BYTES,
  MEDIA_FOLDER,
  MEDIA_TYPES,
  type MediaContentType,
  type MediaExtension,
  MediaResource,
  mediaTypeOfFile,
  validateCreateMedia,
  StoredMedia,
} from './media.js';
export { MemberBody, type MemberFields, MemberResource, readMember, validateMemberRole } from './member.js';
export { normaliseDomain, normaliseOrigin } from './origin.js';
export {
  AVAILABILITIES,
  type Availability,
  PRODUCT_FILTERS,
  ProductBody,
  type ProductFields,
  ProductResource,
  readProduct,
  readProductFields,
  type SiteProductFields,
} from './product.js';
export {
  AskOfferedProducts,
  OFFERED_AVAILABILITIES,
  OfferedProduct,
  OfferedProducts,
} from './offered-products.js';
export { RecommendedProduct, Recommendations } from './recommended-products.js';
export {
  type ProductBatch,
  ProductBatchAnswer,
  ProductBatchBody,
  readProductBatch,
} from './product-batch.js';
export { HOURLY_LIMIT, readSite, SiteBody, type SiteFields, SiteResource } from './site.js';
export {
  DEFAULT_WORKSPACE_HOURLY_LIMIT,
  NO_WORKSPACE,
  OwnWorkspace,
  readWorkspace,
  readWorkspaceState,
  WorkspaceBody,
  WorkspaceResource,
  type WorkspaceState,
  WorkspaceStateBody,
} from './workspace.js';
export { ShownChatbot, ShownChatbots, ShownOverlay, ShownOverlays } from './shown-campaign.js';
export { MANAGEMENT } from './service.js';
export {
  DEFAULT_QUOTAS,
  type Quota,
  type Quotas,
  quotasOf,
  changedQuotas,
  WORKSPACES_PER_USER,
} from './quotas.js';
export {
  Consent,
  ConsentBody,
  readSubmission,
  SUBMISSION_FILTERS,
  SubmissionBody,
  type SubmissionFields,
  SubmissionResource,
  type SubmissionFieldNames,
} from './submission.js';
export {
  PROFILE_FILTERS,
  PROFILE_TEXTS,
  profileAttributeFaults,
  ProfileBody,
  type ProfileFields,
  type ProfilePatch,
  ProfileResource,
  ProfilesImportBody,
  readProfilePatch,
  readProfilesImport,
} from './profile.js';
export {
  type BeginProfilesImport,
  type ImportRow,
  judgeRows,
  PROFILE_ERASE,
  PROFILES_IMPORT,
  BEGIN_PROFILES_IMPORT,
} from './profile-messages.js';
export {
  CONFIRMATIONS,
  type Confirmation,
  type EraseProfile,
  ERASURE_FILTERS,
  ErasedProfile,
  ErasureResource,
  ERASE_PROFILE,
  ServiceErasure,
} from './erasure.js';
export {
  DISABLED_REASONS,
  type DisabledReason,
  LEDGER_TRIGGERS,
  NewWorkflowResource,
  webhookSecretOf,
  readWorkflow,
  TRIGGER_TYPES,
  WORKFLOW_FILTERS,
  workflowPatchFaults,
  WorkflowBody,
  type WorkflowFields,
  WorkflowResource,
} from './workflow.js';
export {
  type NewWorkflow,
  NEW_WORKFLOW,
  WORKFLOW_CHANGE,
  WORKFLOW_OUTCOME,
  RecordedOutcome,
  type WorkflowChange,
  type WorkflowOutcome,
  workflowSealContext,
} from './workflow-messages.js';
export { type PublishedWorkflow, workflowRecordOf, type WorkflowSecrets } from './workflow-secrets.js';
