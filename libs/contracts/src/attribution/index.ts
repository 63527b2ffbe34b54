export { type Anchor, ChainCheck } from './chain-check.js';
export {
  AskChain,
  BrokenRecord,
  ChainHeadResource,
  ChainResource,
  ChainVerification,
} from './chain-resource.js';
export type { ChainHead, LedgerRow } from './ledger-row.js';
export { OrderCheck } from './order-check.js';
export { LEDGER_VERIFY, validateVerification, VerificationBody, VERIFY_CHAIN } from './verify-chain.js';
export { clickMatchFields, clickSealContext } from './click-sealing.js';
export {
  COMMISSION_RULE_TYPES,
  type CommissionRuleFields,
  CommissionRuleResource,
  type CommissionRuleType,
  CreateCommissionRule,
  CreatedCommissionRule,
} from './commission-rule.js';
export { CommissionRuleBody, readCommissionRule, websiteIdOfRule } from './commission-rule-body.js';
export { CONVERSION_LIMITS } from './conversion-body.js';
export { AdjustmentEnvelope, CancellationEnvelope, PurchaseEnvelope } from './conversion-envelopes.js';
export {
  type Adjustment,
  ADJUSTMENT_REASONS,
  type AdjustmentLine,
  type AdjustmentReason,
  type AttributionSettings,
  type Cancellation,
  ConversionAccepted,
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
} from './conversion-command.js';
export { fingerprintOf } from './conversion-fingerprint.js';
export { AskOrders, ListedOrder, PartnerShare } from './listed-order.js';
export { readConversion, websiteIdsOf } from './read-conversion.js';
export {
  Attribution,
  type AttributionOutcome,
  CommissionEntry,
  EntryLine,
  MatchedTouch,
  MAX_ORDER_ENTRIES,
  OrderEntry,
  OrderResource,
  ReadOrder,
} from './order-resource.js';
export { decodeRecordConversion, encodeRecordConversion, CONVERSION_ACCEPTED } from './record-conversion.js';
export {
  FIRST_PREVIOUS_HASH,
  instantColumn,
  LEDGER_ACCOUNTS,
  type LedgerAccount,
  RECORD_COLUMNS,
  type RecordColumn,
  SEAL_FORMAT,
  type SealedFields,
  sealOf,
} from './record-seal.js';
export { AskSealedRecords, SEALED_RECORDS, SealedRecord, SEQUENCE, SEQUENCE_FORM } from './sealed-record.js';
export { decodeRecordTouches, readTouchVerdicts } from './record-touches.js';
export { TOUCH_LIMITS, TouchBody, TouchesBody } from './touch-body.js';
export {
  MAX_TOUCHES_PER_REQUEST,
  RecordedTouches,
  type RecordTouches,
  type RecordTouchesReply,
  type SealedClick,
  TOUCH_DIRECTIONS,
  TOUCH_PROVENANCES,
  type TouchCommand,
  type TouchDirection,
  type TouchProvenance,
  TouchResource,
  TouchVerdict,
} from './touch-command.js';
export { ATTRIBUTION_LEDGER } from './service.js';
