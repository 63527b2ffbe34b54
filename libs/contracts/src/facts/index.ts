export { type AssignedSessionFact, parseAssignedSession } from './assigned-session.js';
export {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  type CampaignRecord,
  type CampaignStatus,
  type CampaignType,
  DEVICE_TYPES,
  encodeCampaignRecord,
  parseCampaignRecord,
} from './campaign-record.js';
export { HELD_CAMPAIGNS_BYTES, heldBytes } from './held-campaigns.js';
export { parseChangedSettlement } from './read-changed-settlement.js';
export { parseRecordedConversion, parseSealedLedger } from './read-recorded-conversion.js';
export { parseRecordedTouch } from './read-recorded-touch.js';
export { parseStoredEvent, type PublishedEvent } from './read-stored-event.js';
export { type ChangedSettlementFact } from './changed-settlement.js';
export { type CredentialRecord, encodeCredentialRecord, parseCredentialRecord } from './credential-record.js';
export { encodeErasedSite, type ErasedSiteFact, parseErasedSite } from './erased-site.js';
export { type ExperimentRecord, parseExperimentRecord } from './experiment-record.js';
export { type FactOwner, ownerOfFact } from './fact-owner.js';
export {
  encodeMemberRecord,
  highestRole,
  MEMBER_ROLES,
  memberKey,
  type MemberName,
  type MemberRecord,
  type MemberRole,
  type Membership,
  parseMemberKey,
  parseMemberRecord,
} from './member-record.js';
export {
  auditActor,
  encodeRecordedAudit,
  parseRecordedAudit,
  type RecordedAuditFact,
} from './recorded-audit.js';
export { type RecordedConversionFact, type SealedLedgerFact } from './recorded-conversion.js';
export { type RecordedTouchFact } from './recorded-touch.js';
export {
  ATTRIBUTION_MODELS,
  type AttributionModel,
  encodeSiteRecord,
  parseSiteRecord,
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
  encodeWorkflowRecord,
  parseWorkflowRecord,
  type SealedText,
  type WorkflowCondition,
  type WorkflowRecord,
} from './workflow-record.js';
