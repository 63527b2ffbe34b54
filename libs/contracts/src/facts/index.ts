export { type AssignedSessionFact, ASSIGNED_SESSION_FACT } from './assigned-session.js';
export {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  type CampaignRecord,
  type CampaignStatus,
  type CampaignType,
  DEVICE_TYPES,
  CAMPAIGN_RECORD,
} from './campaign-record.js';
export { HELD_CAMPAIGNS_BYTES, heldBytes } from './held-campaigns.js';
export { CHANGED_SETTLEMENT_FACT } from './read-changed-settlement.js';
export { RECORDED_CONVERSION_FACT, SEALED_LEDGER_FACT } from './read-recorded-conversion.js';
export { RECORDED_TOUCH_FACT } from './read-recorded-touch.js';
export { STORED_EVENT_FACT, type PublishedEvent } from './read-stored-event.js';
export { type ChangedSettlementFact } from './changed-settlement.js';
export { type CredentialRecord, CREDENTIAL_RECORD } from './credential-record.js';
export { ERASED_SITE, type ErasedSiteFact } from './erased-site.js';
export { type ExperimentRecord, EXPERIMENT_RECORD } from './experiment-record.js';
export { type FactOwner, ownerOfFact } from './fact-owner.js';
export {
  MEMBER_RECORD,
  highestRole,
  MEMBER_ROLES,
  memberKey,
  type MemberName,
  type MemberRecord,
  type MemberRole,
  type Membership,
  memberNameOf,
} from './member-record.js';
export { type RecordCodec } from './record-codec.js';
export { type FieldDescription, type RecordDescription } from './record-describer.js';
export { auditActor, RECORDED_AUDIT_FACT, type RecordedAuditFact } from './recorded-audit.js';
export { type RecordedConversionFact, type SealedLedgerFact } from './recorded-conversion.js';
export { type RecordedTouchFact } from './recorded-touch.js';
export {
  ATTRIBUTION_MODELS,
  type AttributionModel,
  SITE_RECORD,
  type PartnerSettings,
  PUBLISHER_MODES,
  type PublisherMode,
  type SiteRecord,
} from './site-record.js';
export { encodeStoredEvent, type StoredEventFact, storedEventKey } from './stored-event.js';
export {
  CONDITION_OPERATORS,
  type ConditionOperator,
  type ConditionScalar,
  WORKFLOW_RECORD,
  type FormerSecret,
  type SealedText,
  type WorkflowCondition,
  type WorkflowRecord,
} from './workflow-record.js';
