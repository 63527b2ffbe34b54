export { clickMatchFields, clickSealContext } from './click-sealing.js';
export {
  COMMISSION_RULE_TYPES,
  type CommissionRuleFields,
  CommissionRuleResource,
  type CommissionRuleType,
  type CreateCommissionRule,
  type CreateCommissionRuleReply,
  type ListCommissionRules,
  type ListCommissionRulesReply,
} from './commission-rule.js';
export { CommissionRuleBody, readCommissionRule, websiteIdOfRule } from './commission-rule-body.js';
export {
  type CommissionRulePage,
  type CreatedCommissionRule,
  encodeCreateCommissionRule,
  encodeListCommissionRules,
  readCommissionRulePage,
  readCreateCommissionRuleMessage,
  readCreatedCommissionRule,
  readListCommissionRulesMessage,
} from './commission-rule-messages.js';
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
export { readConversion, websiteIdsOf } from './read-conversion.js';
export {
  Attribution,
  type AttributionOutcome,
  CommissionEntry,
  MatchedTouch,
  MAX_ORDER_ENTRIES,
  OrderEntry,
  OrderResource,
  type ReadOrder,
  type ReadOrderReply,
} from './order-resource.js';
export { encodeListTouches, readListTouchesMessage, readTouchPage, type TouchPage } from './list-touches.js';
export { encodeReadOrder, readReadOrderMessage } from './read-order.js';
export {
  decodeRecordConversion,
  encodeRecordConversion,
  readConversionAccepted,
} from './record-conversion.js';
export {
  FIRST_PREVIOUS_HASH,
  FIRST_RECORD_COLUMNS,
  instantColumn,
  LEDGER_ACCOUNTS,
  type LedgerAccount,
  RECORD_COLUMNS,
  type RecordColumn,
  type SealedFields,
  sealOf,
} from './record-seal.js';
export { decodeRecordTouches, encodeRecordTouches, readTouchVerdicts } from './record-touches.js';
export { TOUCH_LIMITS, TouchBody, TouchesBody } from './touch-body.js';
export {
  type ListTouches,
  type ListTouchesReply,
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
