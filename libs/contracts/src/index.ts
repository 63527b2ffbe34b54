export { clickMatchFields, clickSealContext } from './attribution/click-sealing.js';
export {
  COMMISSION_RULE_TYPES,
  type CommissionRuleFields,
  type CommissionRuleResource,
  type CommissionRuleType,
  type CreateCommissionRule,
  type CreateCommissionRuleReply,
  type ListCommissionRules,
  type ListCommissionRulesReply,
} from './attribution/commission-rule.js';
export { readCommissionRule, websiteIdOfRule } from './attribution/commission-rule-body.js';
export {
  type CommissionRulePage,
  type CreatedCommissionRule,
  decodeCreateCommissionRule,
  decodeListCommissionRules,
  encodeCreateCommissionRule,
  encodeListCommissionRules,
  readCommissionRulePage,
  readCreatedCommissionRule,
} from './attribution/commission-rule-messages.js';
export { CONVERSION_LIMITS } from './attribution/conversion-body.js';
export {
  type Adjustment,
  ADJUSTMENT_REASONS,
  type AdjustmentLine,
  type AdjustmentReason,
  type Cancellation,
  type ConversionAccepted,
  type ConversionCommand,
  type ConversionEventType,
  MARGIN_BASES,
  type MarginBasis,
  ORDER_STATES,
  type OrderState,
  type Purchase,
  type PurchaseLine,
  type RecordConversion,
  type RecordConversionReply,
} from './attribution/conversion-command.js';
export { fingerprintOf } from './attribution/conversion-fingerprint.js';
export { readConversion, websiteIdsOf } from './attribution/read-conversion.js';
export {
  type Attribution,
  type AttributionOutcome,
  type CommissionEntry,
  type MatchedTouch,
  MAX_ORDER_ENTRIES,
  type OrderEntry,
  type OrderResource,
  type ReadOrder,
  type ReadOrderReply,
} from './attribution/order-resource.js';
export {
  decodeListTouches,
  encodeListTouches,
  readTouchPage,
  type TouchPage,
} from './attribution/list-touches.js';
export { decodeReadOrder, encodeReadOrder } from './attribution/read-order.js';
export {
  decodeRecordConversion,
  encodeRecordConversion,
  readConversionAccepted,
} from './attribution/record-conversion.js';
export {
  FIRST_PREVIOUS_HASH,
  instantColumn,
  LEDGER_ACCOUNTS,
  type LedgerAccount,
  RECORD_COLUMNS,
  type RecordColumn,
  type SealedFields,
  sealOf,
} from './attribution/record-seal.js';
export {
  decodeRecordTouches,
  encodeRecordTouches,
  MAX_TOUCHES_PER_REQUEST,
  readTouchVerdicts,
} from './attribution/record-touches.js';
export { TOUCH_LIMITS, TouchBody, TouchesBody } from './attribution/touch-body.js';
export {
  type ListTouches,
  type ListTouchesReply,
  type RecordTouches,
  type RecordTouchesReply,
  type SealedClick,
  TOUCH_DIRECTIONS,
  TOUCH_PROVENANCES,
  type TouchCommand,
  type TouchDirection,
  type TouchProvenance,
  type TouchResource,
  type TouchVerdict,
} from './attribution/touch-command.js';
export {
  API_KEY_HASH_PATTERN,
  API_KEY_PATTERN,
  API_KEY_PREFIX_PATTERN,
  API_KEY_RANDOM_BYTES,
  apiKeyHash,
  mintApiKey,
  type MintedApiKey,
} from './credentials/api-key.js';
export { type Scope, SCOPES } from './credentials/scopes.js';
export { TRUST_CLASSES, type TrustClass } from './credentials/trust.js';
export {
  checkProperties,
  EVENT_TYPES,
  type EventType,
  identifyingValues,
  isEventType,
  orderOf,
  storedProperties,
} from './events/event-catalogue.js';
export {
  decodeStoreEvents,
  encodeEventColumns,
  type EncodedEvent,
  encodeStoreEvents,
  type EventColumns,
  MAX_EVENTS_PER_REQUEST,
  type StoreEvent,
  type StoreEventsRequest,
} from './events/store-events.js';
export {
  encodeStoreEventsReply,
  parseStoreEventsReply,
  type StoredVerdict,
} from './events/store-events-reply.js';
export { TrackBatch } from './events/track-batch.js';
export { EVENT_LIMITS, EventContext, TrackEvent } from './events/track-event.js';
export {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  type CampaignRecord,
  type CampaignStatus,
  type CampaignType,
  DEVICE_TYPES,
  encodeCampaignRecord,
  parseCampaignRecord,
} from './facts/campaign-record.js';
export {
  type CredentialRecord,
  encodeCredentialRecord,
  parseCredentialRecord,
} from './facts/credential-record.js';
export {
  encodeMemberRecord,
  MEMBER_ROLES,
  memberKey,
  type MemberName,
  type MemberRecord,
  type MemberRole,
  parseMemberKey,
  parseMemberRecord,
} from './facts/member-record.js';
export { type RecordedConversionFact, type SealedLedgerFact } from './facts/recorded-conversion.js';
export { type RecordedTouchFact } from './facts/recorded-touch.js';
export {
  encodeSiteRecord,
  parseSiteRecord,
  type PartnerSettings,
  PUBLISHER_MODES,
  type PublisherMode,
  type SiteRecord,
} from './facts/site-record.js';
export { encodeStoredEvent, type StoredEventFact, storedEventKey } from './facts/stored-event.js';
export { type ErrorBody, type ErrorEnvelope, type Meta, type SuccessEnvelope } from './http/envelope.js';
export { type ErrorCode, type FailureRule, FAILURES } from './http/failures.js';
export { ERASE_SITE, type EraseSite, readEraseSite } from './jobs/erase-site.js';
export { JOB_STATES, type JobResource, type JobState, MAX_JOB_ERRORS } from './jobs/job-resource.js';
export {
  type JobError,
  type JobStep,
  type JobStepReport,
  parseJobStepReport,
  readJobStep,
} from './jobs/job-step.js';
export {
  ApiKeyBody,
  type ApiKeyFields,
  type ApiKeyResource,
  type MintedBody,
  readApiKey,
  readMintedBody,
  readRotation,
} from './management/api-key.js';
export { type AuditEntryResource } from './management/audit-entry.js';
export { normaliseEmail } from './management/email.js';
export { type KeyUse, MAX_KEY_USES, readRecordKeyUse, type RecordKeyUse } from './management/key-use.js';
export {
  CampaignBody,
  type CampaignFields,
  type CampaignResource,
  type CampaignSchedule,
  type CampaignTargeting,
  readCampaign,
} from './management/campaign.js';
export {
  type CampaignContent,
  ChatbotContent,
  OverlayContent,
  RecommendationContent,
} from './management/campaign-content.js';
export {
  INTEGRATION_FILTERS,
  INTEGRATION_PROVIDERS,
  type IntegrationCredentials,
  type IntegrationFields,
  type IntegrationProvider,
  type IntegrationResource,
  type IntegrationStatus,
  readIntegration,
  readIntegrationPatch,
} from './management/integration.js';
export {
  credentialMatchFields,
  type IntegrationPatch,
  integrationSealContext,
  type NewIntegration,
  readIntegrationChange,
  readNewIntegration,
  type SealedCredentials,
} from './management/integration-messages.js';
export { readCurrency, readTimeZone } from './management/locale.js';
export {
  CreateMediaBody,
  INCOMING_FOLDER,
  MEDIA_FIELD,
  MEDIA_FILE_LIMIT_BYTES,
  MEDIA_FOLDER,
  MEDIA_TYPES,
  type MediaContentType,
  type MediaExtension,
  type MediaResource,
  mediaTypeOfFile,
  readCreateMedia,
  type StoredMedia,
} from './management/media.js';
export { MemberBody, type MemberResource, readMember, readMemberRole } from './management/member.js';
export { normaliseDomain, normaliseOrigin } from './management/origin.js';
export {
  AVAILABILITIES,
  type Availability,
  PRODUCT_FILTERS,
  type ProductFields,
  type ProductResource,
  readProduct,
  type SiteProductFields,
} from './management/product.js';
export { type ProductBatch, type ProductBatchAnswer, readProductBatch } from './management/product-batch.js';
export {
  type Actor,
  type BodyReading,
  type CommandAnswer,
  type IdempotencyClaim,
  type ManagementCommand,
  type ManagementQuery,
  type Page,
  readManagementCommand,
  readManagementQuery,
} from './management/request.js';
export { type Resource } from './management/resource.js';
export { HOURLY_LIMIT, readSite, SiteBody, type SiteFields, type SiteResource } from './management/site.js';
export {
  DEFAULT_WORKSPACE_HOURLY_LIMIT,
  NO_WORKSPACE,
  readWorkspace,
  readWorkspaceState,
  type WorkspaceResource,
  type WorkspaceState,
  WorkspaceStateBody,
} from './management/workspace.js';
export {
  readReconcileEvents,
  type ReconcileEvents,
  type ReconciledHour,
  type ReconciliationPage,
} from './operations/reconcile-events.js';
export { RuntimeTokenRequest } from './runtime/create-runtime-token.js';
export { MANAGEMENT_TOPICS, TOPICS, type TopicSpec } from './topics.js';
export {
  BODY_PATH,
  compileReader,
  compileValidator,
  toFieldErrors,
  type Validator,
  type ValidatorOptions,
  type Violation,
} from './validation/compile-validator.js';
export { DROPPED_NAMES, TRUST_NAMES } from './validation/dropped-names.js';
export { isJsonObject, isLongerThan } from './validation/shape.js';
